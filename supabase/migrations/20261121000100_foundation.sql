-- What every later migration stands on: extensions, the schema `private` that the API never exposes,
-- closed default privileges, the raising of readable errors, what counts as text, and the queueing of work.

create extension if not exists btree_gist with schema extensions;
create extension if not exists pg_trgm with schema extensions;

-- Supabase hands every new table and function in `public` to the API roles. Here each table names what
-- may be done with it, column by column, so the default is nothing.
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke execute on functions from anon, authenticated;
alter default privileges revoke execute on functions from public;

create schema private;
grant usage on schema private to anon, authenticated, service_role;
comment on schema private is 'Rules and bookkeeping of the marketplace; never exposed by the API';

-- Raises the text that the person will read unless the rule holds (null counts as broken).
-- The hint names the field, so that a form can put the message beside it.
create function private.require(holds boolean, message text, field text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if holds is not true then
    raise exception using errcode = 'P0001', message = message, hint = field;
  end if;
end $$;

-- Raises the text that the person will read, as a refusal (HTTP 403), unless it is allowed.
create function private.allow(allowed boolean, message text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if allowed is not true then
    raise exception using errcode = '42501', message = message;
  end if;
end $$;

-- How the rules of a table are written: each is one trigger with one of these two functions, or with a small one of its
-- own where the text depends on the row or another table is asked. Its WHEN clause says that the rule does not hold (null
-- counts as broken), its arguments the text that the person will read and the field. PostgreSQL asks triggers in the order
-- of their names, so only the first broken rule is reported, and the number that a name begins with is its place:
--   10_ to 19_  values are brought into shape: white space, empty texts
--   20_ to 29_  who may do it
--   30_ to 39_  what may become of the row as it is
--   40_ to 89_  the columns, in the order in which a form shows them
--   90_ to 99_  what the database fills in
-- A new rule is one more trigger, and no other changes.

-- Arguments: the text and the field. The hint names the field, as private.require does.
create function private.reject() returns trigger language plpgsql set search_path = '' as $$
begin
  raise exception using errcode = 'P0001', message = tg_argv[0], hint = tg_argv[1];
end $$;

-- Argument: the text. A refusal (HTTP 403).
create function private.forbid() returns trigger language plpgsql set search_path = '' as $$
begin
  raise exception using errcode = '42501', message = tg_argv[0];
end $$;

-- What counts as text; the twins of shared/text.ts.

-- For bracket expressions: white space, as JavaScript's trim() has it.
create function private.space_characters() returns text
language sql immutable set search_path = '' as $$
  select '\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'
$$;

-- For bracket expressions: Unicode's controls, its default ignorable code points and the blank of Braille.
create function private.hidden_characters() returns text
language sql immutable set search_path = '' as $$
  select '\u0001-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f'
    '\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufffb'
    '\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff'
$$;

-- Text without white space around it; '' when no character of it can be seen.
create function private.trimmed(value text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  space constant text := private.space_characters();
begin
  return case when value !~ ('[^' || space || private.hidden_characters() || ']') then ''
    else regexp_replace(value, '^[' || space || ']+|[' || space || ']+$', '', 'g') end;
end $$;

-- How many characters there are, those that show nothing not counted.
create function private.visible_length(value text) returns integer
language plpgsql immutable set search_path = '' as $$
begin
  return length(regexp_replace(value, '[' || private.hidden_characters() || '\ufeff]', '', 'g'));
end $$;

-- True when the statement comes from a client of the API and not from one of our own definers,
-- the secret key or an operator. Only meaningful where no definer runs. Without settings, so that PostgreSQL puts it
-- into the expression that asks.
create function private.is_client() returns boolean
language sql stable return current_user in ('anon', 'authenticated');

grant execute on function private.require(boolean, text, text), private.allow(boolean, text),
  private.trimmed(text), private.visible_length(text), private.space_characters(), private.hidden_characters(),
  private.is_client() to anon, authenticated, service_role;

-- Queues a call of an edge function with the secret key, in the transaction of the change that causes it.
-- The job table is graphile-worker's; jobs with the same key replace each other until they run.
create function private.enqueue_function(
  function_name text, body jsonb, job_key text default null, run_at timestamptz default null
) returns void language plpgsql security definer set search_path = '' as $$
begin
  if to_regnamespace('graphile_worker') is null then
    raise exception 'Background work is not set up yet. Please try again later.'
      using errcode = 'P0001', hint = 'The operator starts the worker once, which lays its job table';
  end if;
  perform graphile_worker.add_job(
    'invoke_function',
    payload := json_build_object('name', function_name, 'body', body),
    job_key := enqueue_function.job_key,
    run_at := enqueue_function.run_at
  );
end $$;

-- Queues a call of run-scheduled for soon after that moment; all ticks of the same five minutes are one job
-- (null: none).
create function private.schedule_tick(at timestamptz) returns void
language plpgsql security definer set search_path = '' as $$
declare
  slot timestamptz := date_bin('5 minutes', greatest(at, now()) + interval '5 minutes', '2020-01-01 00:00:00+00');
begin
  if at is null then
    return;
  end if;
  perform private.enqueue_function('run-scheduled', '{}', 'run-scheduled-' || extract(epoch from slot)::bigint, slot);
end $$;
