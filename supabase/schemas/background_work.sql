-- Background work: everything the marketplace does outside the database (ADR 0046). Each effect is a message in the
-- pgmq queue `effects`, written in the transaction of the change that causes it. The extension pg_net calls the
-- function run-effects after the commit, and pg_cron does so for effects that are due later or again. The view
-- private.failed_effects lists the failures.

set check_function_bodies = off;

-- A message is {function, body, key}: the edge function that performs the effect, its request body, and a key or null. A later
-- message with the same key replaces one that has not been read yet.
select pgmq.create('effects');

create table private.failed_effects (
  id bigint primary key,
  error text not null check (length(error) <= 1000),
  failed_at timestamptz not null default now(),
  given_up_at timestamptz
);
alter table private.failed_effects enable row level security;

comment on table private.failed_effects is
  'The error of each effect''s last failed try; effects wait in the queue pgmq.q_effects';
comment on column private.failed_effects.id is
  'The msg_id of the effect in pgmq.q_effects, or in pgmq.a_effects once it was given up';
comment on column private.failed_effects.error is 'What the edge function reported, at most 1000 characters';
comment on column private.failed_effects.failed_at is 'Time of the last failed try';
comment on column private.failed_effects.given_up_at is 'When the effect was given up; null while it is tried again';

create index effects_replaceable on pgmq.q_effects ((message ->> 'key')) where read_ct = 0;
alter table pgmq.q_effects enable row level security;
alter table pgmq.a_effects enable row level security;
create index failed_effects_given_up on private.failed_effects (given_up_at) where given_up_at is not null;

-- For the lists of failed effects, at the same cost however many there are: each list walks its own index and looks up the
-- messages of one page.
create index failed_effects_over on private.failed_effects (id) where given_up_at is not null;
create index failed_effects_waiting on private.failed_effects (id) where given_up_at is null;

-- Queues a call of an edge function with the secret key, in the transaction of the change that causes it; due at once, or at
-- `run_at`. It replaces an unread message with the same key. Concurrent transactions may each leave a message, because neither
-- waits for the other; every function can safely be called again.
create function private.enqueue_function(
  function_name text, body jsonb, job_key text default null, run_at timestamptz default null
) returns void language plpgsql security definer set search_path = '' as $$
declare
  effect constant jsonb := jsonb_build_object('function', function_name, 'body', body, 'key', job_key);
  -- pgmq counts in an integer: 68 years at most.
  seconds constant integer := least(2147483647, greatest(0, ceil(extract(epoch from run_at - clock_timestamp()))));
  waiting bigint;
begin
  if job_key is not null then
    select msg_id into waiting from pgmq.q_effects where message ->> 'key' = job_key and read_ct = 0
    limit 1 for update skip locked;
  end if;
  if waiting is null then
    perform pgmq.send('effects', effect, coalesce(seconds, 0));
  else
    update pgmq.q_effects set message = effect, vt = coalesce(run_at, clock_timestamp()) where msg_id = waiting;
  end if;
  if coalesce(seconds, 0) = 0 then
    perform private.call_run_effects_once();
  end if;
end $$;

-- Number of tries before an effect is given up.
create function private.max_effect_tries() returns integer
language sql immutable set search_path = '' as $$ select 25 $$;

-- Calls run-effects after this transaction has committed. Does nothing unless the vault contains its address and key, which
-- have the names that the Supabase CLI uses.
create function private.call_run_effects() returns void
language plpgsql security definer set search_path = '' as $$
declare
  address text;
  secret text;
begin
  select max(decrypted_secret) filter (where name = 'supabase_functions_url'),
    max(decrypted_secret) filter (where name = 'supabase_service_role_key') into address, secret
  from vault.decrypted_secrets where name in ('supabase_functions_url', 'supabase_service_role_key');
  if address is null or secret is null then
    return;
  end if;
  perform net.http_post(
    url := address || '/run-effects',
    body := '{}'::jsonb,
    headers := jsonb_build_object('Content-Type', 'application/json', 'Authorization', 'Bearer ' || secret)
  );
end $$;

-- Calls run-effects at most once per transaction. An error must not fail the change itself: private.tick_effects calls
-- run-effects later.
create function private.call_run_effects_once() returns void
language plpgsql security definer set search_path = '' as $$
begin
  if current_setting('meadowlark.run_effects_called', true) is distinct from 'true' then
    perform private.call_run_effects();
    perform set_config('meadowlark.run_effects_called', 'true', true);
  end if;
exception when others then
  raise warning 'run-effects could not be called: %', sqlerrm;
end $$;

-- Calls run-effects if an effect is due. pg_cron runs this every 5 seconds.
create function private.tick_effects() returns void
language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from pgmq.q_effects where vt <= clock_timestamp()) then
    perform private.call_run_effects();
  end if;
end $$;

-- Gives up an effect; admins decide what to do about it. Notifies the giver if it was a refund, the tasker if it was a payout.
create function private.give_up_effect(effect_id bigint, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  effect jsonb;
  due public.payments;
begin
  perform pgmq.archive('effects', effect_id);
  insert into private.failed_effects (id, error, given_up_at) values (effect_id, left(reason, 1000), now())
  on conflict (id) do update set error = excluded.error, failed_at = now(), given_up_at = now();
  select a.message into effect from pgmq.a_effects a where a.msg_id = effect_id;
  if effect ->> 'function' not in ('refund-payment', 'release-payout') then
    return;
  end if;
  select p.* into due from public.payments p where p.id = (effect #>> '{body,payment_id}')::uuid and p.open_disputes = 0;
  if effect ->> 'function' = 'refund-payment' and due.refund_status in ('queued', 'failed') then
    perform private.notify_refund(due, 'refund_given_up', due.refund_amount);
  elsif effect ->> 'function' = 'release-payout' and due.payout_status in ('queued', 'failed') then
    update public.payment_failures f set given_up = true where f.payment_id = due.id and f.step = 'payout';
    perform private.notify_person(due.payee_id, 'payout_given_up', private.extra_facts(due) || jsonb_build_object('amount', due.payout_amount,
      'task', (select title from public.tasks where id = due.task_id),
      'reason', private.coded(private.abandoned_payout_reason((select f.code from public.payment_failures f
        where f.payment_id = due.id and f.step = 'payout')))), '/profile?tab=payout');
  end if;
end $$;

-- Hands out effects that are due, oldest first. Within 15 seconds, the caller reports the outcome (finish_effect, fail_effect)
-- or asks for more time (keep_effects); otherwise the effect is handed out again. `attempt` counts from 1.
create function public.begin_effects(max_effects integer)
returns table (id bigint, function_name text, body jsonb, attempt integer)
language plpgsql security definer set search_path = '' as $$
declare
  taken record;
begin
  for taken in select m.msg_id, m.read_ct, m.message from pgmq.read('effects', 15, max_effects) m order by m.msg_id loop
    -- The process ended during the last try and recorded no error.
    if taken.read_ct > private.max_effect_tries() then
      perform private.give_up_effect(taken.msg_id, coalesce(
        (select f.error from private.failed_effects f where f.id = taken.msg_id), 'It ended without an answer'));
    else
      return query select taken.msg_id, taken.message ->> 'function', taken.message -> 'body', taken.read_ct;
    end if;
  end loop;
end $$;

-- Reserves effects that are still in progress for another 15 seconds.
create function public.keep_effects(effect_ids bigint[]) returns void
language sql security definer set search_path = '' as $$
  select pgmq.set_vt('effects', kept, 15) from unnest(effect_ids) kept
$$;

-- Removes an effect that succeeded.
create function public.finish_effect(effect_id bigint) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform pgmq.delete('effects', effect_id);
  delete from private.failed_effects f where f.id = effect_id and f.given_up_at is null;
end $$;

-- Records a failed try. The effect is tried again after a pause that grows from 3 seconds to 6 hours. After the last try, about
-- four days later, it is given up.
create function public.fail_effect(effect_id bigint, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  tries integer;
begin
  select q.read_ct into tries from pgmq.q_effects q where q.msg_id = effect_id for update;
  if not found then
    return;
  end if;
  if tries >= private.max_effect_tries() then
    perform private.give_up_effect(effect_id, reason);
    return;
  end if;
  insert into private.failed_effects (id, error) values (effect_id, left(reason, 1000))
  on conflict (id) do update set error = excluded.error, failed_at = now();
  perform pgmq.set_vt('effects', effect_id, exp(least(10, tries))::integer);
end $$;

-- Failed effects for the back office, newest first: those that were given up, or those with a next try. `before_id` is the last
-- id of the previous page; at most 100 rows.
create function public.find_failed_effects(given_up boolean default true, before_id bigint default null, max_results integer default 50)
returns table (id bigint, function_name text, payment_id uuid, person_id uuid, tries integer, error text, failed_at timestamptz,
  next_try_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "look through effects"}');
  return query execute concat_ws(' ',
    'select f.id, e.message ->> ''function'', (e.message #>> ''{body,payment_id}'')::uuid,',
    '(select p.id from private.profiles p where p.id = (e.message #>> ''{body,person}'')::uuid), e.read_ct, f.error, f.failed_at, e.vt',
    'from private.failed_effects f cross join lateral (',
    'select q.read_ct, q.message, q.vt from pgmq.q_effects q where q.msg_id = f.id',
    'union all select a.read_ct, a.message, null from pgmq.a_effects a where a.msg_id = f.id) e',
    'where f.given_up_at', case when coalesce(given_up, true) then 'is not null' else 'is null' end,
    case when before_id is not null then format('and f.id < %s', before_id) end,
    'order by f.id desc limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

-- Tries a failed effect again now; one that was given up gets all its tries again. Does nothing if it has succeeded meanwhile.
create function public.retry_effect(effect_id bigint) returns void
language plpgsql security definer set search_path = '' as $$
declare
  effect jsonb;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "try effects again"}');
  delete from pgmq.a_effects a where a.msg_id = effect_id returning a.message into effect;
  if found then
    delete from private.failed_effects f where f.id = effect_id;
    perform private.enqueue_function(effect ->> 'function', effect -> 'body', effect ->> 'key');
  elsif exists (select from private.failed_effects f where f.id = effect_id) then
    perform pgmq.set_vt('effects', effect_id, 0);
    perform private.call_run_effects_once();
  end if;
end $$;

grant execute on function
  public.retry_effect(bigint), public.find_failed_effects(boolean, bigint, integer)
to authenticated;

select cron.schedule('effects', '5 seconds', 'select private.tick_effects()');
select cron.schedule('forget-runs-of-the-clock', '17 3 * * *',
  $$delete from cron.job_run_details where end_time < now() - interval '1 day'$$);
