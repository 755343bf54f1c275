-- The second file of `supabase db pull`: triggers and policies on the services' own tables.
CREATE OR REPLACE TRIGGER on_auth_user_created AFTER INSERT ON auth.users FOR EACH ROW EXECUTE FUNCTION public.handle_new_user();

create policy "Covers are public"
on "storage"."objects"
as permissive
for select
to public
using ((bucket_id = 'covers'::text));

create policy "Readers upload covers"
on "storage"."objects"
as permissive
for insert
to authenticated
with check (((bucket_id = 'covers'::text) AND ((storage.foldername(name))[1] = (auth.uid())::text)));
