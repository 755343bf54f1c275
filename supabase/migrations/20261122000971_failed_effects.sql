-- Effects that failed, as the back office sees them: what was given up, what is tried again by itself, and another try at once.

-- The newest first: those that were given up, or those that wait for their next try. The page after the one with the id
-- before_id; at most 100.
create function public.find_failed_effects(given_up boolean default true, before_id bigint default null, max_results integer default 50)
returns table (id bigint, function_name text, payment_id uuid, person_id uuid, tries integer, error text, failed_at timestamptz,
  next_try_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'Only admins can look through effects');
  return query
    select f.id, e.message ->> 'function', (e.message #>> '{body,payment_id}')::uuid,
      (select p.id from private.profiles p where p.id = (e.message #>> '{body,person}')::uuid), e.read_ct, f.error, f.failed_at, e.vt
    from private.failed_effects f join (
      select q.msg_id, q.read_ct, q.message, q.vt from pgmq.q_effects q
      union all select a.msg_id, a.read_ct, a.message, null from pgmq.a_effects a
    ) e on e.msg_id = f.id
    where (f.given_up_at is not null) = coalesce(find_failed_effects.given_up, true) and (before_id is null or f.id < before_id)
    order by f.id desc limit least(greatest(coalesce(max_results, 50), 0), 100);
end $$;

-- Tries an effect that failed again now; one that was given up starts its tries anew. One that is done by now is left alone.
create function public.retry_effect(effect_id bigint) returns void
language plpgsql security definer set search_path = '' as $$
declare
  effect jsonb;
begin
  perform private.allow(private.is_admin(), 'Only admins can try effects again');
  delete from pgmq.a_effects a where a.msg_id = effect_id returning a.message into effect;
  if found then
    delete from private.failed_effects f where f.id = effect_id;
    perform private.enqueue_function(effect ->> 'function', effect -> 'body', effect ->> 'key');
  elsif exists (select from private.failed_effects f where f.id = effect_id) then
    perform pgmq.set_vt('effects', effect_id, 0);
    perform private.call_run_effects_once();
  end if;
end $$;

create or replace function public.admin_overview() returns table (kind text, count bigint, oldest timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'Only admins can see the back office');
  return query
    select 'verifications', count(*), min(v.updated_at) from public.verifications v where v.verification_status = 'pending'
    union all
    select 'complaints', count(*), min(c.created_at) from public.complaints c where c.decision is null
    union all
    select 'reports', count(*), min(r.created_at) from public.reports r where r.status = 'open'
    union all
    select 'losses', count(*), min(p.updated_at) from public.payments p
    where p.unsettled_loss > 0 and p.open_disputes = 0 and p.escrow_status = 'frozen'
    union all
    select 'chargebacks', count(*), min(d.created_at) from public.disputes d
    where d.status in ('needs_response', 'warning_needs_response')
    union all
    select 'not_sent', count(*), min(p.updated_at) from public.payments p where private.is_stuck(p)
    union all
    select 'failed_effects', count(*), min(f.given_up_at) from private.failed_effects f where f.given_up_at is not null
    union all
    select 'suspended', count(*), min(s.created_at) from public.suspensions s where s.lifted_at is null;
end $$;

revoke execute on function public.find_failed_effects(boolean, bigint, integer), public.retry_effect(bigint) from public, anon;
grant execute on function public.find_failed_effects(boolean, bigint, integer), public.retry_effect(bigint) to authenticated;
