-- Stripe's events: stored once by id and applied in the same transaction, in any order, any number of times.
-- Every effect below first looks at what is already known, so that an event that comes before our own
-- request was answered, twice, or after a newer one changes nothing that stands.

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

alter table public.stripe_events enable row level security;
revoke all on public.stripe_events from anon, authenticated, service_role;
grant select on public.stripe_events to authenticated, service_role;
create policy "admins read the payment provider's events" on public.stripe_events for select to authenticated
using ((select private.is_admin()));

-- The payment an object of Stripe's belongs to: by our metadata, or by the intent it names.
create function private.payment_of_stripe_object(object jsonb) returns uuid
language plpgsql stable security definer set search_path = '' as $$
declare
  named text := object -> 'metadata' ->> 'payment_id';
  intent text := case when object ->> 'object' = 'payment_intent' then object ->> 'id'
    else object ->> 'payment_intent' end;
  found_id uuid;
begin
  select id into found_id from public.payments where id::text = named;
  if found_id is null and intent is not null then
    select id into found_id from public.payments where stripe_payment_intent_id = intent;
  end if;
  if found_id is null and object ->> 'object' = 'transfer' then
    select id into found_id from public.payments where stripe_transfer_id = object ->> 'id';
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

  update public.payments set escrow_status = 'held', held_at = now(), failure_message = null,
    stripe_payment_intent_id = intent ->> 'id', stripe_charge_id = intent ->> 'latest_charge'
  where id = payment;
  perform private.post_ledger(payment, 'charge', intent ->> 'id',
    jsonb_build_object('provider', paid.total, 'escrow', -paid.total));

  if booking.status = 'accepted' then
    perform private.act_as('payment');
    update public.bookings set status = 'in_progress' where id = booking.id;
    perform private.act_as(null);
    perform private.notify_person(paid.payer_id, 'payment_held', jsonb_build_object('amount', paid.total,
      'task', (select title from public.tasks where id = paid.task_id)), '/bookings');
    perform private.follow_dispute(payment); -- heard of before the charge itself
  else
    perform private.settle_payment(payment, 'cancellation', 'refunded', 0, paid.total, 0);
  end if;
  return null;
end $$;

-- A refund as Stripe reports it: ours is finished or, when it failed afterwards, due again by hand.
create function private.apply_refund(payment uuid, refund jsonb) returns text
language plpgsql security definer set search_path = '' as $$
declare
  known public.payments;
begin
  select * into strict known from public.payments where id = payment for no key update;
  if known.refund_amount = 0 or (refund ->> 'amount')::bigint <> known.refund_amount * 100 then
    return 'a refund that was not asked for here';
  end if;
  if refund ->> 'status' in ('succeeded', 'pending', 'requires_action') then
    perform public.finish_refund(payment, refund ->> 'id');
    return null;
  end if;

  perform public.finish_refund(payment, refund ->> 'id');
  select * into strict known from public.payments where id = payment;
  if known.refund_status <> 'sent' or known.stripe_refund_id <> refund ->> 'id' then
    return null; -- its failure is already known
  end if;
  perform private.post_ledger(payment, 'refund_returned', refund ->> 'id',
    jsonb_build_object('provider', known.refund_amount, 'giver', -known.refund_amount));
  update public.payments set refund_status = 'failed', refunded_amount = 0, refunded_at = null,
    refund_refusals = refund_refusals + 1,
    failure_message = left(coalesce(refund ->> 'failure_reason', 'the refund failed'), 500)
  where id = payment;
  return 'a refund came back: it must be sent another way';
end $$;

-- A transfer came back, in whole or in part: it is owed to the tasker again.
create function private.apply_transfer_reversed(payment uuid, transfer jsonb) returns text
language plpgsql security definer set search_path = '' as $$
declare
  reversed numeric := (transfer ->> 'amount_reversed')::numeric / 100;
  booked numeric;
begin
  perform public.finish_payout(payment, transfer ->> 'id');
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
  said text;
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
      said := 'no payment of ours';
    else
      said := private.apply_payment_event(payment, kind, object);
    end if;
  end if;
  update public.stripe_events set payment_id = payment, note = said where id = event ->> 'id';
  return jsonb_build_object('status', 'applied', 'payment_id', payment, 'note', said);
end $$;
grant execute on function public.record_stripe_event(jsonb) to service_role;

create function private.apply_payment_event(payment uuid, kind text, object jsonb) returns text
language plpgsql security definer set search_path = '' as $$
begin
  case kind
    when 'payment_intent.succeeded' then
      return private.apply_payment_succeeded(payment, object);
    when 'payment_intent.payment_failed' then
      update public.payments set failure_message = left(coalesce(object #>> '{last_payment_error,message}',
        'Payment failed'), 500) where id = payment and escrow_status = 'pending';
      return null;
    when 'payment_intent.canceled' then
      perform private.close_intent(payment, object ->> 'id');
      return null;
    when 'refund.created', 'refund.updated', 'refund.failed', 'charge.refund.updated' then
      return private.apply_refund(payment, object);
    when 'transfer.created' then
      perform public.finish_payout(payment, object ->> 'id');
      return null;
    when 'transfer.reversed' then
      return private.apply_transfer_reversed(payment, object);
    when 'charge.dispute.created', 'charge.dispute.funds_withdrawn', 'charge.dispute.funds_reinstated',
      'charge.dispute.closed' then
      return private.apply_dispute(payment, kind, object);
    else
      return null;
  end case;
end $$;
