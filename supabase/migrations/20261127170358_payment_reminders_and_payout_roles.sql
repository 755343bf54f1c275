-- Marks the reminder to pay as read once the booking is paid or has ended, opens payout accounts for taskers alone, and rounds the flat
-- cancellation fee to cents.
set check_function_bodies = off;

create or replace function private.cancellation_fee(amount numeric, paid numeric, scheduled timestamptz, at timestamptz)
returns numeric language sql immutable set search_path = '' as $$
  select least(paid, coalesce(
    (select round(amount * percent / 100, 2)
      from json_to_recordset(private.rules() #> '{fees,cancellation}') as step ("underHours" integer, percent integer)
      where scheduled - at < make_interval(hours => "underHours") order by "underHours" limit 1),
    round(private.rule('fees.cancellationFlatCents') / 100.0, 2)))
$$;

create function private.settle_payment_reminder() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.notifications set read = true
  where user_id = new.task_giver_id and not read and link like private.booking_link(new.id) || '%' and key = 'pay_reminder';
  return null;
end $$;

create or replace function public.prepare_payout_account() returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  person private.profiles;
  known public.payout_accounts;
  declared public.verifications;
begin
  select * into person from private.profiles where id = auth.uid() and deleted_at is null;
  perform private.allow(person.id is not null, 'account.not_authenticated');
  perform private.allow(private.has_role('task_doer'), 'payout_account.only_taskers');
  select * into declared from public.verifications where user_id = person.id;
  select * into known from public.payout_accounts where user_id = person.id;
  return jsonb_build_object('user_id', person.id, 'account_id', case when known.account_type <> 'manual' then known.stripe_account_id end,
    'idempotency_key', concat_ws('-', 'payout-account', person.id,
      case when known.account_type = 'manual' then substring(known.stripe_account_id from '^acct_.*$') end),
    'email', person.email, 'phone', person.phone,
    'legal_name', declared.legal_name, 'date_of_birth', declared.date_of_birth);
end $$;

create trigger settle_payment_reminder after update of status on public.bookings
for each row when (old.status = 'accepted' and new.status <> 'accepted')
execute function private.settle_payment_reminder();
