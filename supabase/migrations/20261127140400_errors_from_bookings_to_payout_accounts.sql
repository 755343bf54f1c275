-- Codes of errors, 5: the rules of bookings to payout accounts.
set check_function_bodies = off;

drop trigger "31_price_agreed" on public.bookings;
create trigger "31_price_agreed" before update on public.bookings for each row
when ((new.agreed_amount = old.agreed_amount) is not true)
execute function private.reject('booking.price_fixed', 'agreed_amount');

drop trigger "32_notes_on_completion" on public.bookings;
create trigger "32_notes_on_completion" before update on public.bookings for each row
when ((new.status <> old.status or new.completion_notes is not distinct from old.completion_notes) is not true
  and coalesce(current_setting('private.erasing', true), '') <> 'yes')
execute function private.reject('booking.notes_not_allowed', 'completion_notes');

drop trigger "33_reason_on_cancellation" on public.bookings;
create trigger "33_reason_on_cancellation" before update on public.bookings for each row
when ((new.status <> old.status or new.cancellation_reason is not distinct from old.cancellation_reason) is not true
  and coalesce(current_setting('private.erasing', true), '') <> 'yes')
execute function private.reject('booking.cancellation_reason_not_allowed', 'cancellation_reason');

create or replace function private.check_acceptance() returns trigger
language plpgsql set search_path = '' as $$
declare
  task public.tasks;
begin
  perform private.require(private.reserve_decision(new.task_id),
    'task.being_decided', 'status');
  task := private.lock_task(new.task_id);
  perform private.require(task.status in ('open', 'asked'), 'task.not_open', 'status');
  new.period := private.task_period(task);
  perform private.require(private.tasker_is_free(new.task_doer_id, new.period),
    'booking.tasker_busy', 'status');
  new.accepted_at := now();
  return new;
end $$;

create or replace function private.check_booking_step() returns trigger
language plpgsql set search_path = '' as $$
declare
  previous constant public.booking_status := case when tg_op = 'UPDATE' then old.status end;
begin
  if exists (select from private.booking_transitions t
      where t.from_status is not distinct from previous and t.to_status = new.status
        and t.actor = private.booking_actor(new.task_doer_id, new.task_giver_id)) then
    return new;
  end if;
  perform private.require((previous = 'in_progress' and new.status = 'cancelled') is not true,
    'booking.cancel_by_function', 'status');
  perform private.require(previous is not null, 'booking.first_status_invalid', 'status');
  perform private.fail('booking.status_change_invalid', 'status', jsonb_build_object('from', replace(previous::text, '_', ' '),
    'to', replace(new.status::text, '_', ' ')), case when private.is_client()
    and auth.uid() not in (new.task_doer_id, new.task_giver_id) then '42501' else 'P0001' end);
end $$;

create or replace function private.check_cancellation() returns trigger
language plpgsql set search_path = '' as $$
begin
  -- The provider is asked first, or the card could be charged for a booking that is no more.
  perform private.require(old.status <> 'accepted' or not private.has_open_intent(new.id),
    'booking.payment_started', 'payment');
  new.cancellation_reason := nullif(private.trimmed(new.cancellation_reason), '');
  perform private.require(coalesce(length(new.cancellation_reason), 0) <= private.rule('limits.cancellationReason.max'),
    'booking.cancellation_reason_too_long', 'cancellation_reason');
  new.cancelled_by := coalesce(new.cancelled_by, auth.uid());
  new.cancelled_at := now();
  return new;
end $$;

create or replace function private.check_completion() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.completion_notes := nullif(private.trimmed(new.completion_notes), '');
  perform private.require(coalesce(length(new.completion_notes), 0) <= private.rule('limits.completionNotes.max'),
    'booking.notes_too_long', 'completion_notes');
  new.completed_at := now();
  return new;
end $$;

create or replace function private.check_start() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(exists (select from public.payments p
    where p.booking_id = new.id and p.escrow_status = 'held'), 'payment.not_held', 'status');
  new.started_at := now();
  return new;
end $$;

create or replace function private.check_undone_decline() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(not old.passed_over and old.answered_at > now() - interval '10 minutes',
    'booking.undo_expired', 'status');
  perform private.require((private.lock_task(new.task_id)).status = 'open', 'task.not_open', 'status');
  new.answered_at := null;
  return new;
end $$;

create or replace function private.check_asked_tasker() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.asked_tasker_id is not null then
    if new.asked_tasker_id = new.task_giver_id then
      perform private.fail('task.asked_self', 'asked_tasker_id');
    end if;
    if not private.is_tasker(new.asked_tasker_id) then
      perform private.fail('task.asked_not_tasker', 'asked_tasker_id');
    end if;
  end if;
  return new;
end $$;

create or replace function public.decline_request(task_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  task public.tasks;
begin
  select * into task from public.tasks t
  where t.id = decline_request.task_id and t.status = 'asked' and t.asked_tasker_id = auth.uid() for no key update;
  perform private.require(task.id is not null, 'task.no_longer_asked', 'task_id');
  perform private.require(not private.has_other_application(task.id, auth.uid()),
    'task.asked_has_applied', 'task_id');
  update public.tasks set status = 'open', updated_at = now() where id = task.id;
  perform private.notify_person(task.task_giver_id, 'request_declined', jsonb_build_object(
    'person', private.person_name(auth.uid()), 'task', task.title), '/task/' || task.id);
end $$;

create or replace function private.check_release() returns trigger
language plpgsql set search_path = '' as $$
begin
  if new.escrow_status = old.escrow_status then
    perform private.require(old.escrow_status = 'released', 'payment.unchanged', 'escrow_status');
    return old; -- a second release of the same payment changes nothing
  end if;
  perform private.require(new.escrow_status = 'released', 'payment.only_release', 'escrow_status');
  perform private.allow(new.payer_id = auth.uid(), 'payment.release_not_giver');
  perform private.require(old.escrow_status = 'held', case old.escrow_status
    when 'pending' then 'payment.not_held'
    when 'frozen' then private.frozen_code(old)
    else 'payment.already_settled' end, 'escrow_status');
  perform private.require(
    exists (select from public.bookings where id = new.booking_id and status = 'completed'),
    'payment.work_not_completed', 'escrow_status');
  new.released_at := now();
  new.updated_at := now();
  return new;
end $$;

create function private.frozen_code(payment public.payments) returns text
language sql immutable set search_path = '' as $$
  select case when payment.open_disputes > 0 then 'payment.frozen_by_chargeback'
    when payment.unsettled_loss > 0 then 'payment.frozen_by_loss'
    else 'payment.frozen_by_complaint' end
$$;

create or replace function public.attach_payment_intent(payment_id uuid, payment_intent_id text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
begin
  perform private.require(payment_intent_id <> '', 'payment.intent_id_required', 'payment_intent_id');
  select b.* into booking from public.bookings b join public.payments p on p.booking_id = b.id
  where p.id = attach_payment_intent.payment_id for no key update of b;
  select * into payment from public.payments p where p.id = attach_payment_intent.payment_id for no key update;
  perform private.require(payment.id is not null, 'payment.not_found', 'payment_id');
  if payment.stripe_payment_intent_id = attach_payment_intent.payment_intent_id then
    return;
  end if;
  perform private.require(payment.stripe_payment_intent_id is null
    and attach_payment_intent.payment_intent_id <> all (payment.closed_intents),
    'payment.other_intent', 'payment_id');
  perform private.require(booking.status = 'accepted', 'payment.booking_not_accepted', 'booking_id');
  update public.payments set stripe_payment_intent_id = attach_payment_intent.payment_intent_id where id = payment.id;
end $$;

create or replace function public.prepare_payment(booking_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
begin
  select * into booking from public.bookings b where b.id = prepare_payment.booking_id for no key update;
  perform private.require(booking.id is not null and booking.task_giver_id = auth.uid()
    or booking.task_doer_id = auth.uid(), 'booking.not_found', 'booking_id');
  perform private.allow(booking.task_giver_id = auth.uid(), 'payment.not_giver');
  perform private.require(booking.status = 'accepted', case when booking.status in ('in_progress', 'completed')
    then 'payment.already_paid' else 'payment.booking_not_accepted' end, 'booking_id');

  insert into public.payments (booking_id, task_id, payer_id, payee_id, amount, platform_fee, gst, total, payout_amount)
  select booking.id, booking.task_id, booking.task_giver_id, booking.task_doer_id, booking.agreed_amount,
    f.platform_fee, f.gst, f.total, f.payout_amount
  from private.fees(booking.agreed_amount) f
  on conflict on constraint payments_booking_id_key do nothing;
  select * into strict payment from public.payments p where p.booking_id = booking.id for no key update;
  perform private.require(payment.escrow_status = 'pending', 'payment.already_paid', 'booking_id');

  return jsonb_build_object('payment_id', payment.id, 'amount_cents', (payment.amount * 100)::bigint,
    'total_cents', (payment.total * 100)::bigint, 'currency', payment.currency,
    'payment_intent_id', payment.stripe_payment_intent_id, 'payee_id', payment.payee_id,
    'idempotency_key', private.next_key('payment', payment.id, cardinality(payment.closed_intents)),
    'booking_id', payment.booking_id, 'task_id', payment.task_id);
end $$;

drop trigger "20_append_only" on public.ledger_entries;
create trigger "20_append_only" before update or delete on public.ledger_entries
for each row execute function private.forbid('ledger.append_only');

drop trigger "20_append_only_as_a_whole" on public.ledger_entries;
create trigger "20_append_only_as_a_whole" before truncate on public.ledger_entries
for each statement execute function private.forbid('ledger.append_only');

create or replace function public.prepare_payment_customer() returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := (select id from private.profiles where id = auth.uid() and deleted_at is null);
begin
  perform private.allow(person is not null, 'account.not_authenticated');
  return jsonb_build_object('user_id', person, 'idempotency_key', 'customer-' || person,
    'customer_id', (select stripe_customer_id from private.payment_customers where user_id = person));
end $$;

create or replace function public.record_payment_customer(owner uuid, customer_id text) returns text
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require(customer_id ~ '^cus_', 'payment_method.customer_invalid', 'customer_id');
  insert into private.payment_customers (user_id, stripe_customer_id)
  values (owner, record_payment_customer.customer_id) on conflict (user_id) do nothing;
  return (select stripe_customer_id from private.payment_customers where user_id = owner);
end $$;

create or replace function public.record_payment_method(owner uuid, method jsonb) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  card uuid;
begin
  perform private.require(exists (select from private.payment_customers
    where user_id = owner and stripe_customer_id = method ->> 'customer'), 'payment_method.save_failed', 'method');
  perform from private.payment_customers where user_id = owner for update;
  insert into public.payment_methods as m (user_id, stripe_payment_method_id, card_brand, card_last4, card_exp_month,
    card_exp_year, is_default)
  values (owner, method ->> 'id', method #>> '{card,brand}', method #>> '{card,last4}',
    (method #>> '{card,exp_month}')::integer, (method #>> '{card,exp_year}')::integer,
    not exists (select from public.payment_methods d where d.user_id = owner and d.is_default))
  on conflict (user_id, stripe_payment_method_id) do update set card_brand = excluded.card_brand,
    card_last4 = excluded.card_last4, card_exp_month = excluded.card_exp_month, card_exp_year = excluded.card_exp_year
  returning m.id into card;
  return card;
end $$;

create or replace function public.set_default_payment_method(id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require(exists (select from public.payment_methods m
    where m.id = set_default_payment_method.id and m.user_id = auth.uid()), 'payment_method.not_found', 'id');
  update public.payment_methods m set is_default = false
  where m.user_id = auth.uid() and m.is_default and m.id <> set_default_payment_method.id;
  update public.payment_methods m set is_default = true where m.id = set_default_payment_method.id;
end $$;

drop trigger "40_token" on public.payment_methods;
create trigger "40_token" before insert or update on public.payment_methods for each row
when ((new.stripe_payment_method_id ~ '^pm_[A-Za-z0-9_]{1,250}$') is not true)
execute function private.reject('payment_method.save_failed', 'stripe_payment_method_id');

drop trigger "41_last4" on public.payment_methods;
create trigger "41_last4" before insert or update on public.payment_methods for each row
when (new.card_last4 !~ '^[0-9]{4}$')
execute function private.reject('payment_method.last4_invalid', 'card_last4');

drop trigger "42_brand" on public.payment_methods;
create trigger "42_brand" before insert or update on public.payment_methods for each row
when (new.card_brand !~ '^[A-Za-z0-9_ -]{1,30}$')
execute function private.reject('payment_method.brand_unknown', 'card_brand');

drop trigger "43_expiry" on public.payment_methods;
create trigger "43_expiry" before insert or update on public.payment_methods for each row
when (new.card_exp_month not between 1 and 12 or new.card_exp_year not between 2000 and 2100)
execute function private.reject('payment_method.expiry_invalid', 'card_exp_month');

create or replace function public.prepare_payout_account() returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  person private.profiles;
  known public.payout_accounts;
  declared public.verifications;
begin
  select * into person from private.profiles where id = auth.uid() and deleted_at is null;
  perform private.allow(person.id is not null, 'account.not_authenticated');
  perform private.allow(private.has_role('task_doer') or not private.has_role('task_giver'), 'payout_account.only_taskers');
  select * into declared from public.verifications where user_id = person.id;
  select * into known from public.payout_accounts where user_id = person.id;
  return jsonb_build_object('user_id', person.id, 'account_id', case when known.account_type <> 'manual' then known.stripe_account_id end,
    'idempotency_key', concat_ws('-', 'payout-account', person.id,
      case when known.account_type = 'manual' then substring(known.stripe_account_id from '^acct_.*$') end),
    'email', person.email, 'phone', person.phone,
    'legal_name', declared.legal_name, 'date_of_birth', declared.date_of_birth);
end $$;

create or replace function public.record_payout_account(account jsonb, at timestamptz, owner uuid default null) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  recorded public.payout_accounts;
begin
  perform private.require(account ->> 'id' ~ '^acct_', 'payout_account.invalid', 'account');
  if owner is not null then
    insert into public.payout_accounts as p (user_id, stripe_account_id, account_status, account_type)
    values (owner, account ->> 'id', 'pending', 'custom')
    on conflict (user_id) do update set stripe_account_id = excluded.stripe_account_id, account_type = 'custom',
      account_status = 'pending', provider_updated_at = null
    where p.account_type = 'manual';
  end if;
  perform private.apply_account(account, at);
  select * into recorded from public.payout_accounts where stripe_account_id = account ->> 'id';
  return case when recorded.id is not null then to_jsonb(recorded) end;
end $$;

drop trigger "10_last4" on public.payout_accounts;
create trigger "10_last4" before insert or update on public.payout_accounts for each row
when (new.bank_last4 !~ '^[0-9]{1,4}$')
execute function private.reject('payout_account.last4_invalid', 'bank_last4');

grant execute on function private.frozen_code(public.payments) to authenticated;
grant execute on function private.frozen_code(public.payments) to service_role;
