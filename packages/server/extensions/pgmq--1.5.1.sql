-- Message queues in tables, with pgmq's names and arguments (https://supabase.com/docs/guides/queues/pgmq): a queue is
-- pgmq.q_<name>, what was archived pgmq.a_<name>; a message that was read is invisible until its `vt`.
do $$ begin
  raise warning 'pgmq is a stand-in: its queues are plain tables, and queues cannot be partitioned';
end $$;

create type pgmq.message_record as (
  msg_id bigint, read_ct integer, enqueued_at timestamptz, vt timestamptz, message jsonb, headers jsonb
);
create type pgmq.queue_record as (
  queue_name varchar, is_partitioned boolean, is_unlogged boolean, created_at timestamptz
);
create type pgmq.metrics_result as (
  queue_name text, queue_length bigint, newest_msg_age_sec integer, oldest_msg_age_sec integer, total_messages bigint,
  scrape_time timestamptz, queue_visible_length bigint
);

create table pgmq.meta (
  queue_name varchar primary key,
  is_partitioned boolean not null default false,
  is_unlogged boolean not null default false,
  created_at timestamptz not null default now()
);
select pg_catalog.pg_extension_config_dump('pgmq.meta', '');

-- The name of a queue's table. Refuses what would not be a name.
create function pgmq.format_table_name(queue_name text, prefix text) returns text language plpgsql immutable as $$
begin
  if queue_name is null or queue_name !~ '^[A-Za-z0-9_]{1,47}$' then
    raise exception 'queue name is too long or contains invalid characters: up to 47 letters, digits and underscores'
      using errcode = '22023';
  end if;
  return lower(prefix || '_' || queue_name);
end
$$;

create function pgmq._create(queue_name text, unlogged boolean) returns void language plpgsql as $$
declare
  kind text := case when unlogged then 'unlogged' else '' end;
begin
  if exists (select from pgmq.meta m where m.queue_name = _create.queue_name) then
    return;
  end if;
  -- Those of an extension that was dropped, as "supabase migration down" does: pgmq's own go with it.
  execute format('drop table if exists pgmq.%I, pgmq.%I', pgmq.format_table_name(queue_name, 'q'),
    pgmq.format_table_name(queue_name, 'a'));
  execute format(
    'create %s table pgmq.%I (msg_id bigint primary key generated always as identity, read_ct integer not null default 0,
       enqueued_at timestamptz not null default now(), vt timestamptz not null, message jsonb, headers jsonb)',
    kind, pgmq.format_table_name(queue_name, 'q')
  );
  execute format(
    'create table pgmq.%I (msg_id bigint primary key, read_ct integer not null default 0, enqueued_at timestamptz not null,
       archived_at timestamptz not null default now(), vt timestamptz not null, message jsonb, headers jsonb)',
    pgmq.format_table_name(queue_name, 'a')
  );
  execute format('create index on pgmq.%I (vt)', pgmq.format_table_name(queue_name, 'q'));
  insert into pgmq.meta (queue_name, is_unlogged) values (_create.queue_name, unlogged);
end
$$;

create function pgmq.create(queue_name text) returns void language sql as $$ select pgmq._create(queue_name, false) $$;
create function pgmq.create_unlogged(queue_name text) returns void language sql as $$ select pgmq._create(queue_name, true) $$;
create function pgmq.create_non_partitioned(queue_name text) returns void language sql as $$ select pgmq._create(queue_name, false) $$;

create function pgmq._send(queue_name text, msgs jsonb[], headers jsonb[], visible timestamptz) returns setof bigint
language plpgsql as $$
begin
  return query execute format(
    'insert into pgmq.%I (vt, message, headers) select $2, message, header
     from unnest($1, $3) as given (message, header) returning msg_id',
    pgmq.format_table_name(queue_name, 'q')
  ) using msgs, visible, headers;
end
$$;

create function pgmq.send(queue_name text, msg jsonb, delay integer default 0) returns setof bigint language sql as $$
  select pgmq._send(queue_name, array[msg], null, clock_timestamp() + make_interval(secs => delay))
$$;
create function pgmq.send(queue_name text, msg jsonb, delay timestamptz) returns setof bigint language sql as $$
  select pgmq._send(queue_name, array[msg], null, delay)
$$;
create function pgmq.send(queue_name text, msg jsonb, headers jsonb, delay integer) returns setof bigint language sql as $$
  select pgmq._send(queue_name, array[msg], array[headers], clock_timestamp() + make_interval(secs => delay))
$$;
create function pgmq.send_batch(queue_name text, msgs jsonb[], delay integer default 0) returns setof bigint language sql as $$
  select pgmq._send(queue_name, msgs, null, clock_timestamp() + make_interval(secs => delay))
$$;

create function pgmq.read(queue_name text, vt integer, qty integer, conditional jsonb default '{}')
returns setof pgmq.message_record language plpgsql as $$
begin
  return query execute format(
    'with next as (
       select msg_id from pgmq.%1$I where vt <= clock_timestamp() and ($3 = ''{}'' or message @> $3) order by msg_id limit $1 for update skip locked
     )
     update pgmq.%1$I as m set vt = clock_timestamp() + make_interval(secs => $2), read_ct = read_ct + 1
     from next where m.msg_id = next.msg_id
     returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message, m.headers',
    pgmq.format_table_name(queue_name, 'q')
  ) using qty, vt, conditional;
end
$$;

create function pgmq.read_with_poll(
  queue_name text,
  vt integer,
  qty integer,
  max_poll_seconds integer default 5,
  poll_interval_ms integer default 100,
  conditional jsonb default '{}'
) returns setof pgmq.message_record language plpgsql as $$
declare
  deadline timestamptz := clock_timestamp() + make_interval(secs => max_poll_seconds);
begin
  loop
    return query select * from pgmq.read(queue_name, vt, qty, conditional);
    exit when found or clock_timestamp() >= deadline;
    perform pg_sleep(poll_interval_ms / 1000.0);
  end loop;
end
$$;

create function pgmq.pop(queue_name text, qty integer default 1) returns setof pgmq.message_record language plpgsql as $$
begin
  return query execute format(
    'with next as (
       select msg_id from pgmq.%1$I where vt <= clock_timestamp() order by msg_id limit $1 for update skip locked
     )
     delete from pgmq.%1$I where msg_id in (select msg_id from next)
     returning msg_id, read_ct, enqueued_at, vt, message, headers',
    pgmq.format_table_name(queue_name, 'q')
  ) using qty;
end
$$;

create function pgmq.delete(queue_name text, msg_ids bigint[]) returns setof bigint language plpgsql as $$
begin
  return query execute format(
    'delete from pgmq.%I where msg_id = any ($1) returning msg_id', pgmq.format_table_name(queue_name, 'q')
  ) using msg_ids;
end
$$;
create function pgmq.delete(queue_name text, msg_id bigint) returns boolean language sql as $$
  select exists (select from pgmq.delete(queue_name, array[msg_id]))
$$;

create function pgmq.archive(queue_name text, msg_ids bigint[]) returns setof bigint language plpgsql as $$
begin
  return query execute format(
    'with gone as (
       delete from pgmq.%I where msg_id = any ($1) returning msg_id, read_ct, enqueued_at, vt, message, headers
     )
     insert into pgmq.%I (msg_id, read_ct, enqueued_at, vt, message, headers) select * from gone returning msg_id',
    pgmq.format_table_name(queue_name, 'q'), pgmq.format_table_name(queue_name, 'a')
  ) using msg_ids;
end
$$;
create function pgmq.archive(queue_name text, msg_id bigint) returns boolean language sql as $$
  select exists (select from pgmq.archive(queue_name, array[msg_id]))
$$;

create function pgmq.set_vt(queue_name text, msg_id bigint, vt integer) returns setof pgmq.message_record language plpgsql as $$
begin
  return query execute format(
    'update pgmq.%I set vt = clock_timestamp() + make_interval(secs => $2) where msg_id = $1
     returning msg_id, read_ct, enqueued_at, vt, message, headers',
    pgmq.format_table_name(queue_name, 'q')
  ) using msg_id, vt;
end
$$;

create function pgmq.purge_queue(queue_name text) returns bigint language plpgsql as $$
declare
  purged bigint;
begin
  execute format('delete from pgmq.%I', pgmq.format_table_name(queue_name, 'q'));
  get diagnostics purged = row_count;
  return purged;
end
$$;

create function pgmq.drop_queue(queue_name text) returns boolean language plpgsql as $$
begin
  execute format('drop table if exists pgmq.%I', pgmq.format_table_name(queue_name, 'q'));
  execute format('drop table if exists pgmq.%I', pgmq.format_table_name(queue_name, 'a'));
  delete from pgmq.meta m where m.queue_name = drop_queue.queue_name;
  return found;
end
$$;

create function pgmq.list_queues() returns setof pgmq.queue_record language sql as $$
  select queue_name, is_partitioned, is_unlogged, created_at from pgmq.meta
$$;

create function pgmq.metrics(queue_name text) returns pgmq.metrics_result language plpgsql as $$
declare
  result pgmq.metrics_result;
begin
  execute format(
    'select $1, count(*), extract(epoch from now() - max(enqueued_at))::integer, extract(epoch from now() - min(enqueued_at))::integer,
       coalesce(pg_sequence_last_value(pg_get_serial_sequence(%L, ''msg_id'')::regclass), 0), now(),
       count(*) filter (where vt <= now())
     from pgmq.%I',
    'pgmq.' || quote_ident(pgmq.format_table_name(queue_name, 'q')), pgmq.format_table_name(queue_name, 'q')
  ) into result using queue_name;
  return result;
end
$$;
create function pgmq.metrics_all() returns setof pgmq.metrics_result language sql as $$
  select (pgmq.metrics(queue_name)).* from pgmq.meta
$$;

grant all on schema pgmq to postgres with grant option;
grant all on pgmq.meta to postgres with grant option;
grant execute on all functions in schema pgmq to postgres with grant option;
grant usage on schema pgmq to service_role;
grant select on pgmq.meta to service_role;
