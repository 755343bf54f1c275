-- Gives policies about people, their files and deleted accounts plain names, and private.keep_medians, too.
set check_function_bodies = off;

create or replace function private.rebuild_figures() returns void
language plpgsql security definer set search_path = '' as $$
begin
  lock table public.tasks, public.bookings, private.profiles, public.verifications, public.ledger_entries in share mode;
  perform pg_advisory_xact_lock(hashtextextended('private.figures', 0));
  delete from private.figures;
  delete from private.figure_changes;
  insert into private.figures (period, starts_on, kind, hours, amount)
  select p.period, private.period_start(p.period, c.happened_at), c.kind, c.hours, sum(c.amount) from (
    select t.created_at as happened_at, 'tasks' as kind, 0 as hours, 1 as amount from public.tasks t
    union all
    select b.created_at, 'bookings', 0, 1 from public.bookings b where b.accepted_at is not null
    union all
    select p.created_at, 'sign_ups', 0, 1 from private.profiles p where p.deleted_at is null
    union all
    select v.decided_at, 'verifications', private.hours_to_decide(v), 1 from public.verifications v
    where private.hours_to_decide(v) is not null
    union all
    select e.created_at, f.kind, 0, f.amount from public.ledger_entries e, private.figures_of_entry(e) f
  ) c, (values ('week'), ('month')) p (period)
  group by 1, 2, 3, 4;
  perform private.update_medians(array(select distinct f.starts_on from private.figures f where f.kind = 'verifications'));
  delete from private.kind_counts;
  delete from private.kind_changes;
  insert into private.kind_counts (kind, open_tasks)
  select kind, count(*) from public.tasks t, unnest(private.kinds_of(t)) kind group by 1;
end $$;

create or replace function private.sum_figures() returns void
language plpgsql security definer set search_path = '' as $$
declare
  decided date[];
begin
  perform pg_advisory_xact_lock(hashtextextended('private.figures', 0));
  with taken as (delete from private.figure_changes returning *), summed as (
    insert into private.figures as f (period, starts_on, kind, hours, amount)
    select p.period, private.period_start(p.period, t.happened_at), t.kind, t.hours, sum(t.amount)
    from taken t, (values ('week'), ('month')) p (period)
    group by 1, 2, 3, 4 having sum(t.amount) <> 0
    on conflict (period, starts_on, kind, hours) do update set amount = f.amount + excluded.amount
  )
  -- Also where the changes add up to nothing: the median before may have been taken with one of them.
  select array_agg(distinct private.period_start(p.period, t.happened_at)) into decided
  from taken t, (values ('week'), ('month')) p (period) where t.kind = 'verifications';
  perform private.update_medians(decided);

  with taken as (delete from private.kind_changes returning *)
  insert into private.kind_counts as s (kind, open_tasks)
  select t.kind, sum(t.amount) from taken t group by 1 having sum(t.amount) <> 0
  on conflict (kind) do update set open_tasks = s.open_tasks + excluded.open_tasks;
end $$;

create function private.update_medians(days date[]) returns void
language sql set search_path = '' as $$
  delete from private.figures f where f.kind = 'verification_hours' and f.starts_on = any (days);
  insert into private.figures (period, starts_on, kind, amount)
  select k.period, k.starts_on, 'verification_hours', k.median from (
    select p.period, p.starts_on, private.median_hours(p.period, p.starts_on) as median
    from (select distinct f.period, f.starts_on from private.figures f where f.kind = 'verifications' and f.starts_on = any (days)) p
  ) k where k.median is not null
$$;

drop policy "who has left changes no profile" on private.profiles;

drop policy "who has left saves nobody" on public.favourites;

drop policy "who has left writes no message" on public.messages;

drop policy "who has left chooses nothing" on public.notification_preferences;

drop policy "who has left adds no card" on public.payment_methods;

drop policy "who has left adds no payout account" on public.payout_accounts;

drop policy "who has left has no hours" on public.quiet_hours;

drop policy "who has left reviews nobody" on public.reviews;

drop policy "who has left adds no address" on public.task_addresses;

drop policy "people hear of their own account" on realtime.messages;

drop policy "both parties put up photos of the work" on storage.objects;

drop policy "givers put up photos of their tasks" on storage.objects;

drop policy "givers take down what no task of theirs shows" on storage.objects;

drop policy "people hand in their own documents" on storage.objects;

drop policy "people put up their own photos" on storage.objects;

drop policy "people take down their own photos, admins any" on storage.objects;

drop policy "people take down their photos of the work until they are handed" on storage.objects;

drop policy "people withdraw their own documents, admins any" on storage.objects;

drop policy "suspended people put up nothing public" on storage.objects;

drop policy "what was dropped is nobody's" on storage.objects;

drop policy "who has left puts up no file" on storage.objects;

create policy "deleted accounts cannot change profiles" on private.profiles as restrictive for update to authenticated
using ((select private.has_account()));

create policy "deleted accounts cannot save taskers" on public.favourites as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "deleted accounts cannot write messages" on public.messages as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "deleted accounts cannot set preferences" on public.notification_preferences as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "deleted accounts cannot add cards" on public.payment_methods as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "deleted accounts cannot add payout accounts" on public.payout_accounts as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "deleted accounts cannot set quiet hours" on public.quiet_hours as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "deleted accounts cannot write reviews" on public.reviews as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "deleted accounts cannot add addresses" on public.task_addresses as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "people receive broadcasts about their own account" on realtime.messages for select to authenticated
using (extension = 'broadcast' and (select realtime.topic()) = 'account:' || (select auth.uid()));

create policy "both parties upload photos of the work" on storage.objects for insert to authenticated
with check (bucket_id = 'booking-photos' and private.may_show_work(private.photo_folder(name))
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url' and private.has_room_for_photo(bucket_id));

create policy "deleted accounts cannot upload files" on storage.objects as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "dropped files are not accessible" on storage.objects as restrictive for all to authenticated
using (not private.is_dropped(bucket_id, name));

create policy "givers remove photos that none of their tasks shows" on storage.objects for delete to authenticated
using (bucket_id = 'task-photos' and private.photo_folder(name) = (select auth.uid())
  and not private.photo_is_kept(bucket_id, name));

create policy "givers upload photos of their tasks" on storage.objects for insert to authenticated
with check (bucket_id = 'task-photos' and private.photo_folder(name) = (select auth.uid())
  and ((select private.has_role('task_giver')) or (select private.is_admin()))
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url' and private.has_room_for_photo(bucket_id));

create policy "people remove their own documents, admins any" on storage.objects for delete to authenticated
using (bucket_id = 'identity-documents' and ((select private.is_admin())
  or ((storage.foldername(name))[1] = (select auth.uid())::text and not (select private.has_submitted_verification()))));

create policy "people remove their own photos, admins any" on storage.objects for delete to authenticated
using (bucket_id = 'profile-photos'
  and (left(name, 36) = (select auth.uid())::text or (select private.is_admin())));

create policy "people remove their photos of the work until they submit them" on storage.objects for delete to authenticated
using (bucket_id = 'booking-photos' and owner_id = (select auth.uid())::text
  and private.is_party(private.photo_folder(name)) and not private.photo_is_kept(bucket_id, name));

create policy "people upload their own documents" on storage.objects for insert to authenticated
with check (bucket_id = 'identity-documents' and (storage.foldername(name))[1] = (select auth.uid())::text
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url');

create policy "people upload their own photos" on storage.objects for insert to authenticated
with check (bucket_id = 'profile-photos' and left(name, 36) = (select auth.uid())::text
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url');

create policy "suspended people upload nothing public" on storage.objects as restrictive for insert to authenticated
with check (private.may_upload(bucket_id));

drop function private.keep_medians(date[]);
