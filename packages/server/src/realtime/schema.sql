-- The realtime schema: broadcasts sent from within the database, and what policies on private channels read.
-- Names and columns are Supabase's, so migrations that mention them apply. Idempotent: applied at every start,
-- before migrations. The table belongs to supabase_realtime_admin, of whom postgres is a member, so that
-- migrations can write policies on it.

do $$
begin
  if not exists (select from pg_roles where rolname = 'supabase_realtime_admin') then
    create role supabase_realtime_admin nologin noinherit;
  end if;
  if (select rolsuper or rolcreaterole from pg_roles where rolname = current_user)
    and not pg_has_role('postgres', 'supabase_realtime_admin', 'usage')
  then
    grant supabase_realtime_admin to postgres;
  end if;
  if not pg_has_role(current_user, 'supabase_realtime_admin', 'usage') then
    execute format('grant supabase_realtime_admin to %I', current_user);
  end if;
end
$$;

grant usage on schema realtime to postgres, anon, authenticated, service_role, dashboard_user;
grant all on schema realtime to supabase_realtime_admin;

-- Rows are kept for some days, then deleted by the server.
create table if not exists realtime.messages (
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp without time zone not null default now(),
  inserted_at timestamp without time zone not null default now(),
  id uuid not null default gen_random_uuid(),
  binary_payload bytea,
  primary key (id, inserted_at)
);
create index if not exists messages_inserted_at_topic_index on realtime.messages (inserted_at desc, topic)
  where extension = 'broadcast' and private is true;
create index if not exists messages_inserted_at_index on realtime.messages (inserted_at);

alter table realtime.messages enable row level security;
grant select, insert, update on realtime.messages to anon, authenticated, service_role;
grant all on realtime.messages to postgres;
grant all on realtime.messages to dashboard_user;

-- The topic that a policy on realtime.messages is evaluated for.
create or replace function realtime.topic() returns text language sql stable as $$
  select nullif(current_setting('realtime.topic', true), '')
$$;

-- A broadcast to whoever listens to the topic once this transaction commits. Like Supabase's, it warns instead of
-- failing: a message that cannot be sent must not undo the transaction that sends it.
create or replace function realtime.send(payload jsonb, event text, topic text, private boolean default true)
returns void language plpgsql as $$
declare
  message_id uuid := gen_random_uuid();
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (id, payload, event, topic, private, extension)
  values (
    message_id,
    case when jsonb_typeof(payload) = 'object' then jsonb_build_object('id', message_id) || payload else payload end,
    event, topic, private, 'broadcast'
  );
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

create or replace function realtime.send_binary(payload bytea, event text, topic text, private boolean default true)
returns void language plpgsql as $$
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (binary_payload, event, topic, private, extension)
  values (payload, event, topic, private, 'broadcast');
exception when others then
  raise warning 'WarnSendingBroadcastMessage: %', sqlerrm;
end
$$;

-- For row triggers: broadcasts what happened to the row, privately, in the form of a row change.
create or replace function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text,
  new record, old record, level text default 'ROW'
) returns void language plpgsql as $$
begin
  if level = 'STATEMENT' then
    raise exception 'function can only be triggered for each row, not for each statement';
  end if;
  if operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Unexpected operation type: %', operation;
  end if;
  perform realtime.send(
    jsonb_build_object(
      'old_record', old, 'record', new, 'operation', operation, 'table', table_name, 'schema', table_schema
    ),
    event_name, topic_name
  );
exception when others then
  raise exception 'Failed to process the row: %', sqlerrm;
end
$$;

-- Belongs to supabase_realtime_admin, as on Supabase; a start by another owner finds it so and leaves it.
do $$
declare
  part text;
begin
  foreach part in array array[
    'table realtime.messages',
    'function realtime.topic()',
    'function realtime.send(jsonb, text, text, boolean)',
    'function realtime.send_binary(bytea, text, text, boolean)',
    'function realtime.broadcast_changes(text, text, text, text, text, record, record, text)'
  ] loop
    execute format('alter %s owner to supabase_realtime_admin', part);
  end loop;
end
$$;

-- How inserts reach the replication stream; the project's own tables come through supabase_realtime.
do $$
begin
  if not exists (select from pg_publication where pubname = 'supabase_realtime_messages_publication') then
    create publication supabase_realtime_messages_publication for table realtime.messages with (publish = 'insert');
  end if;
  if not exists (
    select from pg_publication_tables
    where pubname = 'supabase_realtime_messages_publication' and schemaname = 'realtime' and tablename = 'messages'
  ) then
    alter publication supabase_realtime_messages_publication add table realtime.messages;
  end if;
end
$$;
