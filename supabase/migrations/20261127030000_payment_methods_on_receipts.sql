-- A receipt names the card of its charge, so removing the card later changes no receipt.

-- Null on statements, for payments without a card, and while the provider has not reported the card.
alter table public.receipts add column card_brand text, add column card_last4 text;

-- Cards of charges whose receipt is still to be issued: the provider's events come in any order.
create table private.charged_cards (
  payment_id uuid primary key references public.payments (id) on delete cascade,
  brand text,
  last4 text not null
);
alter table private.charged_cards enable row level security;

-- Stores the card of a successful charge on the receipt of its payment.
create function private.apply_charge_succeeded(payment uuid, charge jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
  known public.payments;
  card constant jsonb := charge #> '{payment_method_details,card}';
begin
  -- private.apply_payment_succeeded takes the same lock, so the later of the two events sees the earlier one's row.
  select * into strict known from public.payments where id = payment for no key update;
  if card ->> 'last4' is null or known.stripe_payment_intent_id <> charge ->> 'payment_intent' then
    return;
  end if;
  if exists (select from public.receipts r where r.payment_id = payment and r.kind = 'receipt') then
    update public.receipts r set card_brand = card ->> 'brand', card_last4 = card ->> 'last4'
    where r.payment_id = payment and r.kind = 'receipt' and r.card_last4 is null;
  else
    insert into private.charged_cards values (payment, card ->> 'brand', card ->> 'last4')
    on conflict (payment_id) do update set brand = excluded.brand, last4 = excluded.last4;
  end if;
end $$;

-- Also stores the card.
create or replace function private.issue_receipt(payment public.payments, kind public.receipt_kind, at timestamptz default now()) returns void
language plpgsql security definer set search_path = '' as $$
declare
  to_giver constant boolean := kind = 'receipt';
  person constant uuid := case when to_giver then payment.payer_id else payment.payee_id end;
  other constant uuid := case when to_giver then payment.payee_id else payment.payer_id end;
  basis public.receipt_basis := 'task';
  counted numeric := payment.amount;
  parts record;
  card private.charged_cards;
begin
  if not to_giver then
    select b.basis, b.amount into basis, counted from private.basis_of_payout(payment) b;
  end if;
  -- The giver's parts are those that were charged, whatever the fee policy says today.
  select case when to_giver then payment.platform_fee else f.platform_fee end as platform_fee,
    case when to_giver then payment.gst else f.gst end as gst
  into parts from (select 1) one left join lateral private.fees(counted) f on counted is not null;
  if to_giver then
    delete from private.charged_cards c where c.payment_id = payment.id returning * into card;
  end if;
  insert into public.receipts (kind, payment_id, person_id, issued_at, issuer, task_title, person_name, other_name, basis, amount,
    platform_fee, gst, platform_fee_percent, gst_percent, total, currency, card_brand, card_last4)
  values (issue_receipt.kind, payment.id, person, at, (select to_jsonb(i) - 'only_one' from private.issuer i),
    (select t.title from public.tasks t where t.id = payment.task_id),
    (select p.full_name from private.profiles p where p.id = person),
    (select p.full_name from private.profiles p where p.id = other), basis, counted, parts.platform_fee, parts.gst,
    private.rule('fees.platformFeePercent'), private.rule('fees.gstPercent'),
    case when to_giver then payment.total else payment.payout_amount end, payment.currency,
    card.brand, card.last4)
  on conflict on constraint receipts_payment_id_kind_key do nothing;
end $$;

-- Also erases the card: a person who leaves is no longer named in anyone's documents.
create or replace function private.forget_names() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.receipts set person_name = null, card_brand = null, card_last4 = null
  where person_id = new.id and (person_name is not null or card_last4 is not null);
  update public.receipts r set other_name = null from public.payments p
  where p.id = r.payment_id and new.id in (p.payer_id, p.payee_id) and r.person_id <> new.id and r.other_name is not null;
  return null;
end $$;

-- Also handles successful charges.
create or replace function private.apply_payment_event(payment uuid, event jsonb) returns text
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

-- The cards of earlier charges, as the provider reported them.
update public.receipts r set card_brand = e.payload #>> '{data,object,payment_method_details,card,brand}',
  card_last4 = e.payload #>> '{data,object,payment_method_details,card,last4}'
from public.stripe_events e
where e.type = 'charge.succeeded' and e.payment_id = r.payment_id and r.kind = 'receipt' and r.person_name is not null;
