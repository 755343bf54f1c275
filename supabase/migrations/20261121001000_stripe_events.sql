-- Stripe's events: stored once by id and applied in the same transaction, in any order, any number of times.
-- Every effect below first looks at what is already known, so that an event that comes before our own
-- request was answered, twice, or after a newer one changes nothing that stands.

-- The PaymentIntent that an object of Stripe's is or names.
create function private.intent_of_stripe_object(object jsonb) returns text
language sql immutable set search_path = '' as $$
  select case when object ->> 'object' = 'payment_intent' then object ->> 'id' else object ->> 'payment_intent' end
$$;
-- Who changes a row with the index below runs it.
grant execute on function private.intent_of_stripe_object(jsonb) to authenticated, service_role;

create table public.stripe_events (
  id text primary key,
  type text not null,
  payload jsonb not null,
  payment_id uuid references public.payments (id),
  -- Why the event changed nothing, when a person should look at it.
  note text,
  received_at timestamptz not null default now()
);
create index stripe_events_of_payment on public.stripe_events (payment_id);
create index stripe_events_to_look_at on public.stripe_events (received_at) where note is not null;
-- Those that came before the payment they are about was known by its intent.
create index stripe_events_of_intent on public.stripe_events (private.intent_of_stripe_object(payload #> '{data,object}'))
  where payment_id is null;

alter table public.stripe_events enable row level security;
revoke all on public.stripe_events from anon, authenticated, service_role;
grant select on public.stripe_events to authenticated, service_role;
create policy "admins read the payment provider's events" on public.stripe_events for select to authenticated
using ((select private.is_admin()));

-- The payment an object of Stripe's belongs to: the one that its intent pays; else the one whose charge or transfer it
-- is or names; else, because an intent is attached only after it was made, the one in our metadata, unless that one is
-- paid by another intent.
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
    -- An intent of its own may say that a payment has another: a person looks at that.
    select id into found_id from public.payments where id = named::uuid
      and (intent is null or stripe_payment_intent_id is null or object ->> 'object' = 'payment_intent');
  end if;
  return found_id;
end $$;

-- The charge went through: the money is held and the work may start. If the booking was cancelled
-- meanwhile, all of it goes straight back. Answers a note when a person must look at it.
create function private.apply_payment_succeeded(payment uuid, intent jsonb) returns text
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  paid public.payments;
begin
  select b.* into strict booking from public.bookings b join public.payments p on p.booking_id = b.id
  where p.id = payment for no key update of b;
  select * into strict paid from public.payments where id = payment for no key update;

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
  perform private.note_failure(payment, 'charge', null);
  perform private.post_ledger(payment, 'charge', intent ->> 'id',
    jsonb_build_object('provider', paid.total, 'escrow', -paid.total));

  if booking.status = 'accepted' then
    perform private.set_actor('payment');
    update public.bookings set status = 'in_progress' where id = booking.id;
    perform private.set_actor(null);
    perform private.notify_person(paid.payer_id, 'payment_held', jsonb_build_object('amount', paid.total,
      'task', (select title from public.tasks where id = paid.task_id)), '/bookings');
  else
    perform private.settle_payment(payment, 'cancellation', 'refunded', 0, paid.total, 0);
  end if;
  perform private.apply_earlier_events(payment, intent ->> 'id');
  perform private.follow_disputes(payment); -- heard of before the charge itself
  return null;
end $$;

-- What was heard of a charge before its payment was known to have it.
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

-- A refund as Stripe reports it: ours is finished or, when it failed afterwards, due again by hand. One that is not
-- the refund that is due was made at the provider itself.
create function private.apply_refund(payment uuid, refund jsonb, at timestamptz) returns text
language plpgsql security definer set search_path = '' as $$
declare
  known public.payments;
begin
  perform private.lock_money(payment);
  select * into strict known from public.payments where id = payment;
  if refund ->> 'id' = any (known.closed_refunds) then
    return null; -- its failure is already known
  elsif known.refund_amount = 0 or (refund ->> 'amount')::bigint <> known.refund_amount * 100
      or exists (select from public.outside_refunds r where r.id = refund ->> 'id')
      or (known.refund_status = 'sent' and known.stripe_refund_id <> refund ->> 'id') then
    return private.apply_outside_refund(payment, refund, at);
  end if;

  perform public.finish_refund(payment, refund ->> 'id');
  if refund ->> 'status' in ('succeeded', 'pending', 'requires_action') then
    return null;
  end if;
  perform private.post_ledger(payment, 'refund_returned', refund ->> 'id',
    jsonb_build_object('provider', known.refund_amount, 'giver', -known.refund_amount));
  update public.payments set refund_status = 'failed', refunded_amount = 0, refunded_at = null,
    refund_refusals = refund_refusals + 1, closed_refunds = array_append(closed_refunds, refund ->> 'id')
  where id = payment;
  perform private.note_failure(payment, 'refund', coalesce(refund ->> 'failure_reason', 'the refund failed'));
  return 'a refund came back: it must be sent another way';
end $$;

-- A transfer came back, in whole or in part: it is owed to the tasker again.
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

-- What a connected account may do now; news older than what is known is ignored.
create function private.apply_account(account jsonb, at timestamptz) returns void
language plpgsql security definer set search_path = '' as $$
begin
  update public.payout_accounts set
    account_status = case
      when (account ->> 'payouts_enabled')::boolean
        and coalesce(account #>> '{capabilities,transfers}', 'active') = 'active' then 'active'
      when coalesce(account #>> '{requirements,disabled_reason}', '') <> '' then 'restricted'
      else 'pending' end::public.account_status,
    bank_last4 = coalesce(account #>> '{external_accounts,data,0,last4}', bank_last4),
    provider_updated_at = at, updated_at = now()
  where stripe_account_id = account ->> 'id' and (provider_updated_at is null or provider_updated_at <= at);
end $$;

-- Stores an event once and applies it. Answers {status: 'applied' | 'duplicate', payment_id, note}.
create function public.record_stripe_event(event jsonb) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  object jsonb := event #> '{data,object}';
  kind text := event ->> 'type';
  payment uuid;
  event_note text;
begin
  perform private.require(coalesce(event ->> 'id', '') <> '' and coalesce(kind, '') <> ''
    and jsonb_typeof(object) = 'object', 'A Stripe event has an id, a type and data.object', 'event');
  insert into public.stripe_events (id, type, payload) values (event ->> 'id', kind, event) on conflict do nothing;
  if not found then
    return jsonb_build_object('status', 'duplicate');
  end if;

  if kind = 'account.updated' then
    perform private.apply_account(object, to_timestamp((event ->> 'created')::double precision));
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
grant execute on function public.record_stripe_event(jsonb) to service_role;

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
    when 'payment_intent.payment_failed' then
      perform private.note_failure(payment, 'charge', coalesce(object #>> '{last_payment_error,message}', 'Payment failed'))
      from public.payments p where p.id = payment and p.escrow_status = 'pending'
        and (p.stripe_payment_intent_id is null or p.stripe_payment_intent_id = object ->> 'id');
      return null;
    when 'payment_intent.canceled' then
      perform private.close_intent(payment, object ->> 'id');
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

-- A transfer that is not the one this payment owes was made by hand at the provider: a person looks at it.
create function private.apply_transfer_created(payment uuid, transfer jsonb) returns text
language plpgsql security definer set search_path = '' as $$
declare
  known public.payments;
begin
  select * into strict known from public.payments where id = payment for no key update;
  if known.stripe_transfer_id is distinct from transfer ->> 'id' and (known.stripe_transfer_id is not null
      or known.escrow_status not in ('released', 'refunded') or (transfer ->> 'amount')::bigint <> known.payout_amount * 100) then
    return 'a transfer that was not asked for here';
  end if;
  perform public.finish_payout(payment, transfer ->> 'id');
  return null;
end $$;
