-- Codes of errors, 11: the rules of account security to data exports.
set check_function_bodies = off;

create or replace function public.use_recovery_code(code text) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := auth.uid();
  session constant text := auth.jwt() ->> 'session_id';
  tried integer;
begin
  perform private.allow(exists (select from auth.sessions where id::text = session and user_id = person),
    'account.not_authenticated');
  perform private.require(private.has_second_factor(person), 'account.second_factor_missing', 'code');
  -- A request that is rolled back would not stay counted.
  perform private.require(coalesce(nullif(current_setting('request.headers', true), '')::json ->> 'prefer', '')
    !~* 'tx *= *rollback', 'recovery_code.rollback_forbidden', 'code');

  -- Codes of one person are tried one after the other, whichever session tries them.
  perform pg_advisory_xact_lock(hashtextextended('recovery code ' || person, 0));
  -- Whoever waited for another code to be accepted finds the factors removed and this sign-in ended: this code stays unused.
  perform private.allow(exists (select from auth.sessions where id::text = session and user_id = person),
    'account.not_authenticated');
  perform private.require(private.has_second_factor(person), 'account.second_factor_missing', 'code');

  -- Counted before it is compared.
  insert into private.recovery_tries as t (session_id, began_at, tries) values (session::uuid, now(), 1)
  on conflict (session_id) do update set
    tries = case when t.began_at > now() - interval '5 minutes' then t.tries + 1 else 1 end,
    began_at = case when t.began_at > now() - interval '5 minutes' then t.began_at else now() end
  returning tries into tried;
  if tried > 10 then
    perform private.fail('recovery_code.too_many_attempts', null, '{}', 'PT429');
  end if;

  update private.recovery_codes set used_at = now()
  where person_id = person and used_at is null and hash = private.recovery_hash(person, code);
  if not found then
    return false;
  end if;
  delete from auth.mfa_factors where user_id = person;
  delete from auth.sessions where user_id = person and id::text <> session;
  perform private.announce_ended_sessions(person);
  perform private.notify_person(person, 'recovery_code_used', '{}', '/profile?tab=security');
  return true;
end $$;

create or replace function private.deletion_obstacle(person uuid) returns text
language sql stable security definer set search_path = '' as $$
  select case
    when exists (select from public.complaints c where person in (c.giver_id, c.tasker_id) and c.decision is null)
      then 'account.complaint_open'
    when exists (select from public.payments p where person in (p.payer_id, p.payee_id)
        and (p.escrow_status in ('held', 'frozen')
          or exists (select from public.bookings b where b.id = p.booking_id and b.status = 'accepted'
            and private.has_open_intent(b.id))))
      then 'account.money_held'
    when exists (select from public.payments p where p.payee_id = person and p.payout_status in ('waiting', 'failed'))
      then 'account.payout_waiting'
    when exists (select from public.payments p where p.payee_id = person and p.payout_status = 'queued'
        or p.payer_id = person and p.refund_status in ('queued', 'failed'))
      then 'account.money_on_its_way'
  end
$$;

create function public.account_deletion_blocker() returns text
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(auth.uid() is not null, 'account.not_authenticated');
  return coalesce(private.deletion_obstacle(auth.uid()),
    case when private.has_role('admin') and not exists (
        select from public.user_roles where role = 'admin' and user_id <> auth.uid())
      then 'account.only_admin' end);
end $$;

create or replace function public.account_deletion_obstacle() returns text
language sql stable set search_path = '' as $$
  select private.error_messages() ->> public.account_deletion_blocker()
$$;

create or replace function public.delete_account(confirmation text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := auth.uid();
  obstacle constant text := public.account_deletion_blocker();
  email text;
  phone text;
begin
  perform private.allow(private.has_fresh_sign_in(), 'account.reauthentication_needed');
  perform private.allow(auth.jwt() ->> 'aal' = 'aal2' or not exists (
    select from auth.mfa_factors where user_id = person and status = 'verified'),
    'account.second_factor_required');
  select nullif(u.email, ''), u.phone into email, phone from auth.users u where u.id = person;
  if email is not null then
    perform private.require(lower(private.trimmed(confirmation)) = lower(email),
      'account.email_mismatch', 'confirmation');
  else
    perform private.require(regexp_replace(confirmation, '[^0-9]', '', 'g') = phone,
      'account.phone_mismatch', 'confirmation');
  end if;
  perform private.require(obstacle is null, obstacle, 'id');
  delete from auth.users where id = person;
  perform private.announce_ended_sessions(person);
end $$;

create or replace function public.request_data_export() returns void
language plpgsql security definer set search_path = '' as $$
declare
  me constant uuid := auth.uid();
  requested uuid;
begin
  perform private.allow(me is not null and private.has_account(), 'account.not_authenticated');
  -- One after the other, so that there is one a day.
  perform pg_advisory_xact_lock(hashtextextended('data export ' || me, 0));
  perform private.require(not exists (select from public.data_exports
    where user_id = me and status <> 'failed' and requested_at > now() - interval '1 day'),
    'data_export.daily_limit', 'requested_at');
  -- The newest one takes the place of all others.
  update public.data_exports set expires_at = now(), status = case status when 'ready' then 'expired' else 'failed' end::public.data_export_status
  where user_id = me and status in ('ready', 'requested');
  insert into public.data_exports (user_id) values (me) returning id into requested;
  perform private.enqueue_function('export-data', jsonb_build_object('export_id', requested));
  perform private.schedule_tick(now());
end $$;

grant execute on function public.account_deletion_blocker() to authenticated;
grant execute on function public.account_deletion_blocker() to service_role;
