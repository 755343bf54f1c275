-- Events of the payment provider: each is stored once by its id and applied in the same transaction to the payment, payout
-- account or payout that it is about.

create table public.stripe_events (
  id text primary key,
  type text not null,
  payload jsonb not null,
  payment_id uuid references public.payments (id),
  note text,
  received_at timestamptz not null default now()
);
alter table public.stripe_events enable row level security;

comment on table public.stripe_events is
  'Events of the payment provider, stored once by their id; deleted after 90 days, or after two years with a note';
comment on column public.stripe_events.id is 'The provider''s id, evt_…';
comment on column public.stripe_events.type is 'The provider''s name of the event, such as payment_intent.succeeded';
comment on column public.stripe_events.payload is 'The event as Stripe sent it';
comment on column public.stripe_events.payment_id is 'The payment it is about; null if none, or none is known yet';
comment on column public.stripe_events.note is
  'A matter for a person to look at, such as why the event changed nothing; null for none';

create index stripe_events_of_payment on public.stripe_events (payment_id);
create index stripe_events_to_look_at on public.stripe_events (received_at) where note is not null;

-- For private.forget_old_rows. Rows arrive in this order, so a BRIN index needs only a few bytes per megabyte.
create index stripe_events_oldest on public.stripe_events using brin (received_at);

-- Events can arrive in any order and any number of times. Each function below first checks what is already known: an event
-- that is repeated, older than the known state, or earlier than the reply to our own request changes nothing.

-- The id of the PaymentIntent that a Stripe object is or refers to.
create function private.intent_of_stripe_object(object jsonb) returns text
language sql immutable set search_path = '' as $$
  select case when object ->> 'object' = 'payment_intent' then object ->> 'id' else object ->> 'payment_intent' end
$$;

-- The payment that a Stripe object belongs to: the one its intent pays, else the one whose charge or transfer it is
-- or refers to. Else it is the one named in our metadata, unless that one is paid by another intent. The metadata is
-- needed because an intent is attached to its payment only after it was created.
create function private.payment_of_stripe_object(object jsonb) returns uuid
language plpgsql stable security definer set search_path = '' as $$
declare
  intent constant text := private.intent_of_stripe_object(object);
  named constant text := object -> 'metadata' ->> 'payment_id';
  found_id uuid;
begin
  select id into found_id from public.payments where stripe_payment_intent_id = intent;
  if found_id is null and object ->> 'object' = 'transfer' then
    select id into found_id from public.payments where stripe_transfer_id = object ->> 'id';
  end if;
  if found_id is null then
    select id into found_id from public.payments where stripe_charge_id
      = case object ->> 'object' when 'charge' then object ->> 'id' when 'transfer' then object ->> 'source_transaction'
        else object ->> 'charge' end;
  end if;
  if found_id is null and named ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    -- A payment intent may name a payment that has another intent: an administrator decides.
    select id into found_id from public.payments where id = named::uuid
      and (intent is null or stripe_payment_intent_id is null or object ->> 'object' = 'payment_intent');
  end if;
  return found_id;
end $$;

-- A successful charge: the money is held and the work can start. If the booking was cancelled in the meantime, all of it is
-- refunded. Returns a note when a person must look at it.
create function private.apply_payment_succeeded(payment uuid, intent jsonb) returns text
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  paid public.payments;
begin
  perform private.lock_booking_and_payment(payment);
  select * into strict paid from public.payments where id = payment;
  select * into strict booking from public.bookings where id = private.booking_of_payment(paid);

  if paid.stripe_payment_intent_id is not null and paid.stripe_payment_intent_id <> intent ->> 'id' then
    return 'another payment intent pays this payment: refund this one by hand';
  elsif paid.escrow_status <> 'pending' then
    return null;
  elsif coalesce((intent ->> 'amount_received')::bigint, (intent ->> 'amount')::bigint) is distinct from paid.total * 100
      or lower(intent ->> 'currency') is distinct from lower(paid.currency) then
    return 'the amount charged is not the total of this payment';
  end if;

  update public.payments set escrow_status = 'held', held_at = now(),
    stripe_payment_intent_id = intent ->> 'id', stripe_charge_id = intent ->> 'latest_charge'
  where id = payment;
  perform private.record_failure(payment, 'charge', null);
  perform private.post_ledger(payment, 'charge', intent ->> 'id',
    jsonb_build_object('provider', paid.total, 'escrow', -paid.total));

  if paid.part_of is not null then
    perform private.apply_extra_charge(paid);
  elsif booking.status = 'accepted' then
    perform private.set_actor('payment');
    update public.bookings set status = 'in_progress' where id = booking.id;
    perform private.set_actor(null);
    perform private.notify_person(paid.payer_id, 'payment_held', jsonb_build_object('amount', paid.total,
      'task', (select title from public.tasks where id = paid.task_id)), '/bookings');
  else
    perform private.settle_payment(payment, 'cancellation', 'refunded', 0, paid.total, 0);
  end if;
  perform private.apply_earlier_events(payment, intent ->> 'id');
  perform private.update_disputed_payment(payment); -- a dispute that was reported before the charge itself
  return null;
end $$;

-- Applies events about a charge that arrived before its payment was known.
create function private.apply_earlier_events(payment uuid, intent text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  early public.stripe_events;
begin
  for early in select * from public.stripe_events e
    where private.intent_of_stripe_object(e.payload #> '{data,object}') = intent and e.payment_id is null
      and e.note = 'no payment of ours' order by e.received_at, e.id
  loop
    update public.stripe_events set payment_id = payment, note = private.apply_payment_event(payment, early.payload)
    where id = early.id;
  end loop;
end $$;

-- Applies a refund as Stripe reports it. The refund that is due is recorded as sent or, if it failed afterwards, is due again
-- by hand; any other was made at the provider itself. If a refund is first reported as failed, nobody is notified that it was
-- sent.
create function private.apply_refund(payment uuid, refund jsonb, at timestamptz) returns text
language plpgsql security definer set search_path = '' as $$
declare
  known public.payments;
  is_news boolean;
begin
  perform private.lock_booking_and_payment(payment);
  select * into strict known from public.payments where id = payment;
  if refund ->> 'id' = any (known.closed_refunds) then
    return null; -- its failure is already known
  elsif known.refund_amount = 0 or (refund ->> 'amount')::bigint <> known.refund_amount * 100
      or exists (select from public.outside_refunds r where r.id = refund ->> 'id')
      or (known.refund_status = 'sent' and known.stripe_refund_id <> refund ->> 'id') then
    return private.apply_outside_refund(payment, refund, at);
  end if;

  is_news := private.record_sent_refund(payment, refund ->> 'id');
  if refund ->> 'status' in ('succeeded', 'pending', 'requires_action') then
    if is_news then
      perform private.notify_refund(known, 'refund_sent', known.refund_amount);
    end if;
    return null;
  end if;
  perform private.post_ledger(payment, 'refund_returned', refund ->> 'id',
    jsonb_build_object('provider', known.refund_amount, 'giver', -known.refund_amount));
  update public.payments set refund_status = 'failed', refunded_amount = 0, refunded_at = null,
    refund_refusals = refund_refusals + 1, closed_refunds = array_append(closed_refunds, refund ->> 'id')
  where id = payment;
  perform private.record_failure(payment, 'refund', 'the refund failed', refund ->> 'failure_reason');
  perform private.notify_refund(known, 'refund_returned', known.refund_amount);
  return 'a refund came back: it must be sent another way';
end $$;

-- A transfer was reversed, in whole or in part: the money is owed to the tasker again.
create function private.apply_transfer_reversed(payment uuid, transfer jsonb) returns text
language plpgsql security definer set search_path = '' as $$
declare
  reversed numeric := (transfer ->> 'amount_reversed')::numeric / 100;
  booked numeric;
begin
  if private.apply_transfer_created(payment, transfer) is not null then
    return 'a transfer that was not asked for here was reversed';
  end if;
  perform from public.payments where id = payment for no key update;
  select coalesce(sum(amount), 0) into booked from public.ledger_entries
  where payment_id = payment and kind = 'payout_reversed' and account = 'provider';
  if reversed > booked then
    perform private.post_ledger(payment, 'payout_reversed', (transfer ->> 'id') || ':' || (transfer ->> 'amount_reversed'),
      jsonb_build_object('provider', reversed - booked, 'tasker', booked - reversed));
    update public.payments set payout_status = 'reversed' where id = payment and payout_amount <= reversed;
  end if;
  return 'a transfer was reversed';
end $$;

-- Updates a connected account; reports older than the known state are ignored.
create function private.apply_account(account jsonb, at timestamptz) returns void
language plpgsql security definer set search_path = '' as $$
declare
  bank constant jsonb := private.default_bank(account);
begin
  perform from public.payout_accounts where stripe_account_id = account ->> 'id' for no key update;
  insert into private.payout_banks (id, payout_account_id, last4)
  select one ->> 'id', a.id, one ->> 'last4'
  from public.payout_accounts a, jsonb_array_elements(coalesce(account #> '{external_accounts,data}', '[]')) one
  where a.stripe_account_id = account ->> 'id' and one ->> 'last4' is not null
  on conflict (id) do nothing;
  update public.payouts p set bank_last4 = b.last4
  from private.payout_banks b join public.payout_accounts a on a.id = b.payout_account_id
  where a.stripe_account_id = account ->> 'id' and p.destination = b.id and p.bank_last4 is null;
  update public.payout_accounts set
    account_status = private.account_status(account),
    bank_last4 = coalesce(bank ->> 'last4', bank_last4),
    bank_name = coalesce(bank ->> 'bank_name', bank_name),
    requirements = array(select jsonb_array_elements_text(coalesce(account #> '{requirements,currently_due}', '[]'))),
    requirement_errors = coalesce((select jsonb_agg(jsonb_build_object('requirement', e ->> 'requirement', 'reason', e ->> 'reason'))
      from jsonb_array_elements(coalesce(account #> '{requirements,errors}', '[]')) e), '[]'),
    provider_updated_at = at, updated_at = now()
  where stripe_account_id = account ->> 'id' and (provider_updated_at is null or provider_updated_at <= at);
end $$;

-- Stores an event once and applies it. Returns {status: 'applied' | 'duplicate', payment_id, note}.
create function public.record_stripe_event(event jsonb) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  object jsonb := event #> '{data,object}';
  kind text := event ->> 'type';
  payment uuid;
  event_note text;
begin
  perform private.require(coalesce(event ->> 'id', '') <> '' and coalesce(kind, '') <> ''
    and jsonb_typeof(object) = 'object', 'stripe_event.invalid', 'event');
  insert into public.stripe_events (id, type, payload) values (event ->> 'id', kind, event) on conflict do nothing;
  if not found then
    return jsonb_build_object('status', 'duplicate');
  end if;

  if kind = 'account.updated' then
    perform private.apply_account(object, to_timestamp((event ->> 'created')::double precision));
  elsif kind ~ '^payout\.' then
    event_note := private.apply_payout(object, event ->> 'account');
  elsif kind ~ '^(payment_intent|charge|refund|transfer)\.' then -- charge.dispute.* among them
    payment := private.payment_of_stripe_object(object);
    if payment is null then
      event_note := 'no payment of ours';
    else
      event_note := private.apply_payment_event(payment, event);
    end if;
  end if;
  update public.stripe_events set payment_id = payment, note = event_note where id = event ->> 'id';
  return jsonb_build_object('status', 'applied', 'payment_id', payment, 'note', event_note);
end $$;

-- Applies an event about a payment. Returns a note when a person should look at it.
create function private.apply_payment_event(payment uuid, event jsonb) returns text
language plpgsql security definer set search_path = '' as $$
declare
  kind constant text := event ->> 'type';
  object constant jsonb := event #> '{data,object}';
  at constant timestamptz := coalesce(to_timestamp((event ->> 'created')::double precision), now());
begin
  case kind
    when 'payment_intent.succeeded' then
      return private.apply_payment_succeeded(payment, object);
    when 'charge.succeeded' then
      perform private.apply_charge_succeeded(payment, object);
      return null;
    when 'payment_intent.payment_failed' then
      perform private.record_failure(payment, 'charge', coalesce(object #>> '{last_payment_error,message}', 'Payment failed'))
      from public.payments p where p.id = payment and p.escrow_status = 'pending'
        and (p.stripe_payment_intent_id is null or p.stripe_payment_intent_id = object ->> 'id');
      return null;
    when 'payment_intent.canceled' then
      perform private.detach_intent(payment, object ->> 'id');
      return null;
    when 'refund.created', 'refund.updated', 'refund.failed', 'charge.refund.updated' then
      return private.apply_refund(payment, object, at);
    when 'transfer.created' then
      return private.apply_transfer_created(payment, object);
    when 'transfer.reversed' then
      return private.apply_transfer_reversed(payment, object);
    when 'charge.dispute.created', 'charge.dispute.updated', 'charge.dispute.funds_withdrawn',
      'charge.dispute.funds_reinstated', 'charge.dispute.closed' then
      return private.apply_dispute(payment, kind, object, at);
    else
      return null;
  end case;
end $$;

-- Records the transfer of a payout. A transfer that the payment does not owe was made by hand at the provider; a note reports it.
create function private.apply_transfer_created(payment uuid, transfer jsonb) returns text
language plpgsql security definer set search_path = '' as $$
declare
  known public.payments;
  expected numeric;
begin
  select * into strict known from public.payments where id = payment for no key update;
  expected := greatest(known.payout_amount, private.kept_payout(payment));
  if known.stripe_transfer_id is distinct from transfer ->> 'id' and (known.stripe_transfer_id is not null
      or known.escrow_status not in ('released', 'refunded') or (transfer ->> 'amount')::bigint is distinct from nullif(expected, 0) * 100) then
    return 'a transfer that was not asked for here';
  end if;
  perform public.finish_payout(payment, transfer ->> 'id');
  return null;
end $$;

-- Events that arrived before their payment was known by its intent.
create index stripe_events_of_intent on public.stripe_events (private.intent_of_stripe_object(payload #> '{data,object}'))
  where payment_id is null;

create policy "admins read the payment provider's events" on public.stripe_events for select to authenticated
using ((select private.is_admin()));

revoke all on public.stripe_events from service_role;
grant select on public.stripe_events to authenticated, service_role;
grant execute on function
  private.intent_of_stripe_object(jsonb)
to authenticated, service_role;
