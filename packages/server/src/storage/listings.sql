-- How a bucket is listed: files and folders, by name or time, page by page, under the caller's policies. Functions of
-- Supabase's storage service by its names and arguments; applied after schema.sql.

set local role supabase_storage_admin;

-- Those of Supabase's own making answer other columns: ours take their place.
do $$
declare
  theirs regprocedure;
begin
  for theirs in
    select oid from pg_proc
    where pronamespace = 'storage'::regnamespace
      and proname in ('search', 'search_v2', 'list_objects_with_delimiter')
      and prosrc not like '%_entries(%'
  loop
    execute format('drop function %s', theirs);
  end loop;
end
$$;

/*
 * Files and folders directly below `prefix`, by name: one index probe an entry, whatever a folder holds. `after` is
 * the full name of the last entry of the page before ('' for the first page). Names hold no control characters, so
 * chr(1) makes the next possible name, and '0' is the character after '/'.
 */
create or replace function storage.list_entries(
  bucket text, prefix text, most integer, skip integer, after text, descending boolean
) returns table (
  key text, name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz,
  metadata jsonb
)
language plpgsql stable as $$
#variable_conflict use_column
declare
  low text := prefix;
  high text := prefix || chr(1114111);
  found storage.objects;
  slash integer;
  folder text;
  seen integer := 0;
begin
  if after <> '' then
    if descending then
      high := least(high collate "C", after collate "C");
    elsif right(after, 1) = '/' then
      low := greatest(low collate "C", left(after, -1) || '0' collate "C");
    else
      low := greatest(low collate "C", after || chr(1) collate "C");
    end if;
  end if;
  while seen < skip + most loop
    if descending then
      select * into found from storage.objects o
      where o.bucket_id = bucket and o.name collate "C" >= low and o.name collate "C" < high
      order by o.name collate "C" desc limit 1;
    else
      select * into found from storage.objects o
      where o.bucket_id = bucket and o.name collate "C" >= low and o.name collate "C" < high
      order by o.name collate "C" limit 1;
    end if;
    exit when found.id is null;
    seen := seen + 1;
    slash := strpos(substr(found.name, length(prefix) + 1), '/');
    if slash = 0 then
      if descending then high := found.name; else low := found.name || chr(1); end if;
      if seen > skip then
        return query select substr(found.name, length(prefix) + 1), found.name, found.id, found.updated_at,
          found.created_at, found.last_accessed_at, found.metadata;
      end if;
    else
      folder := left(found.name, length(prefix) + slash);
      if descending then high := folder; else low := left(folder, -1) || '0'; end if;
      if seen > skip then
        return query select substr(left(folder, -1), length(prefix) + 1), folder, null::uuid, null::timestamptz,
          null::timestamptz, null::timestamptz, null::jsonb;
      end if;
    end if;
  end loop;
end
$$;

/*
 * The same by time, or narrowed to names that begin with `search` in either case. A search may hold a path: an entry ends at
 * the first slash after it, and its key is relative to `prefix`. Folders come first, by name, then files by `sortcolumn`.
 * Reads everything below `prefix`.
 */
create or replace function storage.rank_entries(
  bucket text, prefix text, search text, sortcolumn text, descending boolean
) returns table (
  key text, name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz,
  metadata jsonb, moment timestamptz, place bigint
)
language sql stable as $$
  with below as (
    select o.*, n.rest, strpos(substr(n.rest, length(search) + 1), '/') as slash
    from storage.objects o, lateral (select substr(o.name, length(prefix) + 1) as rest) n
    where o.bucket_id = bucket and o.name collate "C" >= prefix and o.name collate "C" < prefix || chr(1114111)
      and starts_with(lower(n.rest), lower(search))
  ), entries as (
    select distinct left(rest, length(search) + slash - 1) as key, prefix || left(rest, length(search) + slash) as name,
      null::uuid as id, null::timestamptz as updated_at, null::timestamptz as created_at,
      null::timestamptz as last_accessed_at, null::jsonb as metadata
    from below where slash > 0
    union all
    select rest, name, id, updated_at, created_at, last_accessed_at, metadata
    from below where slash = 0
  ), timed as (
    select *, case sortcolumn
      when 'updated_at' then updated_at when 'created_at' then created_at when 'last_accessed_at' then last_accessed_at
    end as moment
    from entries
  )
  select key, name, id, updated_at, created_at, last_accessed_at, metadata, moment,
    row_number() over (order by
      sortcolumn <> 'name' and id is not null,
      case when descending then moment end desc, case when not descending then moment end,
      case when descending then name end collate "C" desc, case when not descending then name end collate "C")
  from timed
$$;

create or replace function storage.search(
  prefix text, bucketname text, limits integer default 100, levels integer default 1, offsets integer default 0,
  search text default '', sortcolumn text default 'name', sortorder text default 'asc'
) returns table (
  name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, metadata jsonb
)
language plpgsql stable as $$
#variable_conflict use_column
begin
  if coalesce(search, '') = '' and coalesce(sortcolumn, 'name') = 'name' then
    return query select e.key, e.id, e.updated_at, e.created_at, e.last_accessed_at, e.metadata
      from storage.list_entries(bucketname, coalesce(prefix, ''), limits, offsets, '', sortorder = 'desc') e;
  else
    return query select e.key, e.id, e.updated_at, e.created_at, e.last_accessed_at, e.metadata
      from storage.rank_entries(bucketname, coalesce(prefix, ''), coalesce(search, ''), sortcolumn, sortorder = 'desc') e
      order by e.place limit limits offset offsets;
  end if;
end
$$;

-- `levels` is how many parts the prefix has, divided by slashes; a key is the whole part of the name at that place, also where
-- the prefix ends within it.
create or replace function storage.search_v2(
  prefix text, bucket_name text, limits integer default 100, levels integer default 1, start_after text default '',
  sort_order text default 'asc', sort_column text default 'name', sort_column_after text default ''
) returns table (
  key text, name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz,
  metadata jsonb
)
language plpgsql stable as $$
#variable_conflict use_column
begin
  if coalesce(sort_column, 'name') = 'name' then
    return query select split_part(e.name, '/', levels), e.name, e.id, e.updated_at, e.created_at, e.last_accessed_at, e.metadata
      from storage.list_entries(
        bucket_name, coalesce(prefix, ''), limits, 0, coalesce(start_after, ''), sort_order = 'desc') e;
  else
    return query select split_part(r.name, '/', levels), r.name, r.id, r.updated_at, r.created_at, r.last_accessed_at, r.metadata
      from storage.rank_entries(bucket_name, coalesce(prefix, ''), '', sort_column, sort_order = 'desc') r
      -- Entries after the last one of the previous page, even if that one is gone.
      where case
        when coalesce(start_after, '') = '' then true
        when right(start_after, 1) = '/' then r.id is not null
          or case when sort_order = 'desc' then r.name collate "C" < start_after else r.name collate "C" > start_after end
        when r.id is null then false
        when sort_order = 'desc' then
          (r.moment, r.name collate "C") < (sort_column_after::timestamptz, start_after collate "C")
        else (r.moment, r.name collate "C") > (sort_column_after::timestamptz, start_after collate "C")
      end
      order by r.place limit limits;
  end if;
end
$$;

create or replace function storage.list_objects_with_delimiter(
  bucket_id text, prefix_param text, delimiter_param text, max_keys integer default 100,
  start_after text default '', next_token text default ''
) returns table (name text, id uuid, metadata jsonb, updated_at timestamptz)
language plpgsql stable as $$
#variable_conflict use_column
begin
  if delimiter_param <> '/' then
    raise exception 'the delimiter must be /' using errcode = '22023';
  end if;
  return query select e.name, e.id, e.metadata, e.updated_at
    from storage.list_entries(
      list_objects_with_delimiter.bucket_id, coalesce(prefix_param, ''), max_keys, 0,
      coalesce(nullif(next_token, ''), start_after, ''), false) e;
end
$$;

grant execute on all functions in schema storage to postgres, anon, authenticated, service_role;

reset role;
