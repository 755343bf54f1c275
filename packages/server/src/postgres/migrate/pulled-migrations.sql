-- Names of Supabase's own database that pulled migrations mention though nothing calls them any more: a file that
-- `supabase db pull` made in 2025 puts the storage service's triggers of that time on its tables. Idempotent.

set role supabase_storage_admin;

create table if not exists storage.prefixes (
  bucket_id text not null references storage.buckets (id),
  name text not null collate "C",
  level integer not null generated always as (array_length(string_to_array(name, '/'), 1)) stored,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  primary key (bucket_id, level, name)
);
alter table storage.prefixes enable row level security;

-- Folders were kept in storage.prefixes by these; listings find them by themselves now.
do $$
declare
  wanted text;
begin
  foreach wanted in array array[
    'objects_insert_prefix_trigger', 'objects_update_prefix_trigger', 'prefixes_insert_trigger',
    'delete_prefix_hierarchy_trigger', 'objects_delete_cleanup', 'objects_update_cleanup',
    'objects_update_level_trigger', 'prefixes_delete_cleanup'
  ] loop
    if to_regproc('storage.' || wanted) is null then
      execute format(
        'create function storage.%I() returns trigger language plpgsql as $body$ begin return coalesce(new, old); end $body$', wanted
      );
    end if;
  end loop;
end
$$;

create or replace function storage.get_level(name text) returns integer language sql immutable strict as $$
  select array_length(string_to_array(name, '/'), 1)
$$;
create or replace function storage.get_prefix(name text) returns text language sql immutable strict as $$
  select case when strpos(name, '/') > 0 then regexp_replace(name, '[\/]{1}[^\/]+\/?$', '') else '' end
$$;
create or replace function storage.get_prefixes(name text) returns text[] language sql immutable strict as $$
  select coalesce(array_agg(array_to_string(parts[1:n], '/') order by n), '{}')
  from string_to_array(name, '/') as parts, generate_series(1, array_length(parts, 1) - 1) as n
$$;

grant all on storage.prefixes to postgres, service_role;
grant select, insert, update, delete on storage.prefixes to anon, authenticated;
reset role;
