-- What the marketplace does outside the database (transfers, refunds, e-mails, push messages, files) by what every Supabase
-- project has: each effect is a message of a pgmq queue, written with the change that causes it; pg_net calls the function
-- run-effects once the change is committed; pg_cron looks every five seconds for what became due meanwhile.

-- Supabase's own extensions, or what a server has laid in their place where PostgreSQL has no such extension.
do $$ begin
  if to_regclass('pgmq.meta') is null then
    create extension pgmq;
  end if;
  if to_regclass('net.http_request_queue') is null then
    create extension pg_net with schema extensions;
  end if;
  if to_regclass('cron.job') is null then
    create extension pg_cron with schema pg_catalog;
  end if;
  if to_regclass('vault.secrets') is null then
    create extension supabase_vault;
  end if;
end $$;

-- A message is {function, body, key}: the edge function that performs the effect, what it is called with, and the key (null for
-- none) by which a later message replaces one that nobody has read yet.
select pgmq.create('effects');
create index effects_replaceable on pgmq.q_effects ((message ->> 'key')) where read_ct = 0;
alter table pgmq.q_effects enable row level security;
alter table pgmq.a_effects enable row level security;

-- Why an effect failed at its last try. One that was given up is archived under the same id (pgmq.a_effects).
create table private.failed_effects (
  id bigint primary key,
  error text not null check (length(error) <= 1000),
  failed_at timestamptz not null default now(),
  given_up_at timestamptz
);
create index failed_effects_given_up on private.failed_effects (given_up_at) where given_up_at is not null;
alter table private.failed_effects enable row level security;

-- How often an effect is tried.
create function private.effect_tries() returns integer
language sql immutable set search_path = '' as $$ select 25 $$;

-- Calls run-effects once this transaction has committed; does nothing where the vault names nobody to call. The vault holds its
-- address and key by the names that the Supabase CLI gives them.
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

-- Does so for what became due in this transaction, once however much did. Should it fail, the clock sees what waits; the change
-- itself is not to fail for it.
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

-- Queues a call of an edge function with the secret key, in the transaction of the change that causes it; now, unless run_at
-- says when. Of several with one key the last replaces the others as long as they wait; two transactions at once
-- may leave one each, for nobody waits here and every function bears to be called again.
create or replace function private.enqueue_function(
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

-- The clock: calls run-effects when something waits that is due.
create function private.tick_effects() returns void
language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from pgmq.q_effects where vt <= clock_timestamp()) then
    perform private.call_run_effects();
  end if;
end $$;

-- Sets an effect aside for good: admins decide what becomes of it.
create function private.give_up_effect(effect_id bigint, reason text) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform pgmq.archive('effects', effect_id);
  insert into private.failed_effects (id, error, given_up_at) values (effect_id, left(reason, 1000), now())
  on conflict (id) do update set error = excluded.error, failed_at = now(), given_up_at = now();
end $$;

-- Hands out effects that are due, the oldest first; whoever takes one says within 15 seconds what became of it
-- (finish_effect, fail_effect) or that it takes longer (keep_effects), else it is handed out again. `attempt` counts from 1.
create function public.begin_effects(max_effects integer)
returns table (id bigint, function_name text, body jsonb, attempt integer)
language plpgsql security definer set search_path = '' as $$
declare
  taken record;
begin
  for taken in select m.msg_id, m.read_ct, m.message from pgmq.read('effects', 15, max_effects) m order by m.msg_id loop
    -- Nobody lived to tell of the last try.
    if taken.read_ct > private.effect_tries() then
      perform private.give_up_effect(taken.msg_id, coalesce(
        (select f.error from private.failed_effects f where f.id = taken.msg_id), 'It ended without an answer'));
    else
      return query select taken.msg_id, taken.message ->> 'function', taken.message -> 'body', taken.read_ct;
    end if;
  end loop;
end $$;

-- They are still being worked on.
create function public.keep_effects(effect_ids bigint[]) returns void
language sql security definer set search_path = '' as $$
  select pgmq.set_vt('effects', kept, 15) from unnest(effect_ids) kept
$$;

-- It is done.
create function public.finish_effect(effect_id bigint) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform pgmq.delete('effects', effect_id);
  delete from private.failed_effects f where f.id = effect_id and f.given_up_at is null;
end $$;

-- It failed, and is tried again after a pause that grows from 3 seconds to 6 hours; after its last try, some four days
-- later, it is given up.
create function public.fail_effect(effect_id bigint, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  tries integer;
begin
  select q.read_ct into tries from pgmq.q_effects q where q.msg_id = effect_id for update;
  if not found then
    return;
  end if;
  if tries >= private.effect_tries() then
    perform private.give_up_effect(effect_id, reason);
    return;
  end if;
  insert into private.failed_effects (id, error) values (effect_id, left(reason, 1000))
  on conflict (id) do update set error = excluded.error, failed_at = now();
  perform pgmq.set_vt('effects', effect_id, exp(least(10, tries))::integer);
end $$;

revoke execute on function public.begin_effects(integer), public.keep_effects(bigint[]), public.finish_effect(bigint),
  public.fail_effect(bigint, text) from public, anon, authenticated;
grant execute on function public.begin_effects(integer), public.keep_effects(bigint[]), public.finish_effect(bigint),
  public.fail_effect(bigint, text) to service_role;

select cron.schedule('effects', '5 seconds', 'select private.tick_effects()');
select cron.schedule('forget-runs-of-the-clock', '17 3 * * *',
  $$delete from cron.job_run_details where end_time < now() - interval '1 day'$$);

-- What an earlier version left in the table of its worker is done by this one, its tries counted anew.
do $$
declare
  job record;
begin
  if to_regclass('graphile_worker._private_jobs') is null then
    return;
  end if;
  for job in
    delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
    where t.id = j.task_id and t.identifier = 'invoke_function'
    returning j.payload ->> 'name' as name, j.payload -> 'body' as body, j.key, j.run_at
  loop
    perform private.enqueue_function(job.name, job.body::jsonb, job.key, job.run_at);
  end loop;
end $$;
