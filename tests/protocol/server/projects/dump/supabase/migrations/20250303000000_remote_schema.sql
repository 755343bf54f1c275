-- A later pull: rights that Supabase lends to `postgres`, the storage service's own triggers of 2025, and
-- extensions that the dashboard switches on.
ALTER DATABASE postgres SET "app.jwt_secret" TO 'not-a-secret';

create extension if not exists "hypopg" with schema "extensions";
create extension if not exists "index_advisor" with schema "extensions";
create extension if not exists "pgaudit" with schema "extensions";
create extension if not exists "pgtap" with schema "extensions";
create extension if not exists "plpgsql_check" with schema "extensions";
drop extension if exists "pg_net";

create extension if not exists pg_trgm with schema public;
alter extension pg_trgm set schema extensions;

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION public.rls_auto_enable()
 RETURNS event_trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
DECLARE
  cmd record;
BEGIN
  FOR cmd IN SELECT * FROM pg_event_trigger_ddl_commands() WHERE command_tag = 'CREATE TABLE' LOOP
    EXECUTE format('alter table %s enable row level security', cmd.object_identity);
  END LOOP;
END;
$function$
;

CREATE FUNCTION public.who_changed() RETURNS event_trigger LANGUAGE plpgsql AS $$
begin
  insert into public.changes values (current_user, current_setting('is_superuser'));
end $$;
CREATE TABLE public.changes (who name, superuser text);

DROP EVENT TRIGGER IF EXISTS ensure_rls;
CREATE EVENT TRIGGER "ensure_rls" ON "ddl_command_end" WHEN TAG IN ('CREATE TABLE')
  EXECUTE FUNCTION "public"."rls_auto_enable"() -- as the dashboard makes it
;
ALTER EVENT TRIGGER "ensure_rls" OWNER TO "postgres";
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_event_trigger WHERE evtname = 'who_changed') THEN
    CREATE EVENT TRIGGER who_changed ON ddl_command_end EXECUTE FUNCTION public.who_changed();
  END IF;
END $$;

CREATE TABLE public.notes (id bigint primary key);

DROP PUBLICATION IF EXISTS supabase_realtime;
CREATE PUBLICATION supabase_realtime FOR ALL TABLES;

CREATE TRIGGER enforce_bucket_name_length_trigger BEFORE INSERT OR UPDATE OF name ON storage.buckets FOR EACH ROW EXECUTE FUNCTION storage.enforce_bucket_name_length();

CREATE TRIGGER objects_delete_delete_prefix AFTER DELETE ON storage.objects FOR EACH ROW EXECUTE FUNCTION storage.delete_prefix_hierarchy_trigger();

CREATE TRIGGER objects_insert_create_prefix BEFORE INSERT ON storage.objects FOR EACH ROW EXECUTE FUNCTION storage.objects_insert_prefix_trigger();

CREATE TRIGGER objects_update_create_prefix BEFORE UPDATE ON storage.objects FOR EACH ROW WHEN (((new.name <> old.name) OR (new.bucket_id <> old.bucket_id))) EXECUTE FUNCTION storage.objects_update_prefix_trigger();

CREATE TRIGGER prefixes_create_hierarchy BEFORE INSERT ON storage.prefixes FOR EACH ROW WHEN ((pg_trigger_depth() < 1)) EXECUTE FUNCTION storage.prefixes_insert_trigger();

revoke select on table "auth"."schema_migrations" from "postgres";

revoke select on table "storage"."iceberg_namespaces" from "anon";

alter table "storage"."iceberg_tables" drop constraint "iceberg_tables_pkey";

drop trigger if exists "protect_objects_delete" on "storage"."objects";

drop function if exists "storage"."get_level"(name text) cascade;

drop index if exists "storage"."idx_name_bucket_level_unique";

drop table "storage"."iceberg_tables";

alter table "storage"."buckets" drop column if exists "type";

CREATE OR REPLACE FUNCTION storage.foldername(name text)
 RETURNS text[]
 LANGUAGE sql
AS $function$
  select array['an older one']
$function$
;
