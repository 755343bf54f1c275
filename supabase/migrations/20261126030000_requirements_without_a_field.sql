-- A rule may concern the whole call instead of one field. `raise` refuses null as a hint, so such a rule ended in
-- PostgreSQL's "RAISE statement option cannot be null" instead of its own message.
create or replace function private.require(holds boolean, message text, field text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.refuse_application();
  if holds is true then
    return;
  elsif field is null then
    raise exception using errcode = 'P0001', message = message;
  end if;
  raise exception using errcode = 'P0001', message = message, hint = field;
end $$;

-- A token outlives its account by up to an hour. These two functions answer it as all others do.
create or replace function public.prepare_payment_customer() returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := (select id from private.profiles where id = auth.uid() and deleted_at is null);
begin
  perform private.allow(person is not null, 'Not authenticated');
  return jsonb_build_object('user_id', person, 'idempotency_key', 'customer-' || person,
    'customer_id', (select stripe_customer_id from private.payment_customers where user_id = person));
end $$;

create or replace function public.prepare_payout_account() returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  person private.profiles;
  known public.payout_accounts;
  declared public.verifications;
begin
  select * into person from private.profiles where id = auth.uid() and deleted_at is null;
  perform private.allow(person.id is not null, 'Not authenticated');
  perform private.allow(not private.has_role('task_giver'), 'Only taskers are paid out');
  select * into declared from public.verifications where user_id = person.id;
  select * into known from public.payout_accounts where user_id = person.id;
  return jsonb_build_object('user_id', person.id, 'account_id', case when known.account_type <> 'manual' then known.stripe_account_id end,
    'idempotency_key', concat_ws('-', 'payout-account', person.id,
      case when known.account_type = 'manual' then substring(known.stripe_account_id from '^acct_.*$') end),
    'email', person.email, 'phone', person.phone,
    'legal_name', declared.legal_name, 'date_of_birth', declared.date_of_birth);
end $$;
