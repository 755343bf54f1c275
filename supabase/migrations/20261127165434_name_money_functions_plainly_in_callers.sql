-- Goes on giving functions of refunds, disputes and losses plain names, and drops the old ones.
set check_function_bodies = off;

create function private.update_disputed_payment(payment uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  before public.payments;
  known public.payments;
  complained boolean;
begin
  select * into strict before from public.payments where id = payment for no key update;
  update public.payments set
    open_disputes = (select count(*) from public.disputes d where d.payment_id = payment and d.open),
    lost_amount = (select coalesce(sum(d.lost), 0) from public.disputes d where d.payment_id = payment)
      + (select coalesce(sum(r.gone), 0) from public.outside_refunds r where r.payment_id = payment)
  where id = payment returning * into known;
  if known.escrow_status in ('released', 'refunded') then
    perform private.update_settled_payment(before, known);
    return;
  elsif known.escrow_status = 'pending' then
    return; -- the dispute was reported before its charge; the charge asks again
  end if;

  complained := exists (select from public.complaints c where c.payment_id = payment and c.decision is null);
  if known.open_disputes > 0 then
    update public.payments set escrow_status = 'frozen' where id = payment and escrow_status = 'held';
    if before.open_disputes = 0 or known.escrow_status = 'held' then
      perform private.notify_parties(known, 'chargeback_opened');
    end if;
  elsif known.lost_amount >= known.total then
    perform private.close_lost_payment(known);
  elsif known.unsettled_loss > 0 then
    update public.payments set escrow_status = 'frozen' where id = payment and escrow_status = 'held';
    if before.open_disputes > 0 or before.unsettled_loss <> known.unsettled_loss or known.escrow_status = 'held' then
      perform private.notify_parties(known, 'payment_lost_in_part');
      perform private.notify_admins_of_loss(known);
    end if;
  elsif known.escrow_status = 'frozen' then
    update public.payments set escrow_status = 'held' where id = payment and not complained;
    if before.open_disputes > 0 or before.unsettled_loss > 0 then
      perform private.notify_parties(known, 'chargeback_won');
      perform private.schedule_tick(now()); -- a giver who was silent all the while
    end if;
  end if;
end $$;

create function private.update_settled_payment(before public.payments, known public.payments) returns void
language plpgsql security definer set search_path = '' as $$
declare
  spared numeric := 0;
begin
  if known.lost_amount < least(before.lost_amount, known.settled_loss) then
    perform private.notify_admins('money_came_back', jsonb_build_object(
      'amount', least(before.lost_amount, known.settled_loss) - known.lost_amount,
      'task', (select title from public.tasks where id = known.task_id)), '/admin/verify-users?tab=complaints');
  end if;
  if known.open_disputes > 0 then
    return;
  end if;
  if known.refund_status in ('queued', 'failed') then
    spared := least(known.unsettled_loss, known.refund_amount);
    if spared > 0 then
      perform private.post_ledger(known.id, 'refund_spared', known.lost_amount::text,
        jsonb_build_object('giver', spared, 'disputes', -spared));
      update public.payments set refund_amount = refund_amount - spared, refund_refusals = refund_refusals + 1,
        refund_status = case when refund_amount = spared then 'none' else refund_status end, settled_loss = settled_loss + spared where id = known.id;
      perform private.notify_refund(known, 'refund_spared', spared);
    end if;
    perform private.enqueue_function('refund-payment', jsonb_build_object('payment_id', known.id), 'refund-' || known.id);
  end if;
  if known.payout_status in ('queued', 'failed') and known.unsettled_loss = spared then
    perform private.enqueue_function('release-payout', jsonb_build_object('payment_id', known.id), 'payout-' || known.id);
  elsif known.payout_status in ('sent', 'reversed', 'none') then
    update public.payments set settled_loss = greatest(settled_loss, lost_amount) where id = known.id;
  elsif known.unsettled_loss > spared and before.unsettled_loss <> known.unsettled_loss then
    perform private.notify_admins_of_loss(known);
  end if;
end $$;

create or replace function public.decide_loss(
  payment_id uuid, decision public.loss_decision, returned_amount numeric default null
) returns jsonb language plpgsql security definer set search_path = '' as $$
declare
  payment public.payments;
  stage public.booking_status;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "decide about a payment"}');
  perform private.lock_booking_and_payment(decide_loss.payment_id);
  select * into payment from public.payments p where p.id = decide_loss.payment_id;
  perform private.require(payment.id is not null, 'payment.not_found', 'payment_id');
  perform private.allow(auth.uid() not in (payment.payer_id, payment.payee_id),
    'admin.own_case', '{"matter": "about the payment of your own booking"}');
  perform private.require(decide_loss.decision is not null, 'payment.decision_required', 'decision');
  perform private.require(payment.open_disputes = 0, private.frozen_code(payment), 'payment_id');
  perform private.require(payment.unsettled_loss > 0 and payment.escrow_status <> 'pending',
    'payment.nothing_to_decide', 'payment_id');
  perform private.require(not exists (select from public.complaints c where c.payment_id = payment.id and c.decision is null),
    'payment.complaint_open', 'payment_id');
  select status into strict stage from public.bookings where id = payment.booking_id;
  perform private.require(decide_loss.decision <> 'split' or (stage = 'completed' and payment.escrow_status = 'frozen'),
    'payment.not_splittable', 'decision');
  perform private.require(decide_loss.decision <> 'split' or (returned_amount > 0 and returned_amount < payment.amount),
    'payment.split_out_of_range', 'returned_amount');

  if payment.escrow_status <> 'frozen' then
    if decide_loss.decision = 'refund' then -- the payout that was not sent stays here
      perform private.post_ledger(payment.id, 'payout_kept', payment.lost_amount::text,
        jsonb_build_object('tasker', payment.payout_amount, 'disputes', -payment.payout_amount));
      update public.payments set payout_amount = 0, payout_status = 'none' where id = payment.id;
      perform private.recount_person(least(payment.payer_id, payment.payee_id)); -- one job less that was paid
      perform private.recount_person(greatest(payment.payer_id, payment.payee_id));
    end if;
    update public.payments set settled_loss = lost_amount where id = payment.id;
    perform private.update_disputed_payment(payment.id);
  elsif decide_loss.decision = 'carry_on' then
    update public.payments set escrow_status = 'held', settled_loss = lost_amount where id = payment.id;
    perform private.schedule_tick(now());
  else
    perform private.settle_decision(payment,
      case decide_loss.decision when 'refund' then payment.amount else round(decide_loss.returned_amount, 2) end, 'refunded');
    perform private.end_unpaid_booking(payment, stage);
  end if;
  perform private.notify_parties(payment, 'loss_decided');
  select * into strict payment from public.payments p where p.id = decide_loss.payment_id;
  return jsonb_build_object(
    'payout_cents', case when payment.payout_status in ('queued', 'waiting', 'failed') then (payment.payout_amount * 100)::bigint else 0 end,
    'refund_cents', case when payment.refund_status in ('queued', 'failed') then (payment.refund_amount * 100)::bigint else 0 end);
end $$;

create or replace function public.fail_refund(payment_id uuid, message text, idempotency_key text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  select * into due from public.payments p where p.id = fail_refund.payment_id for no key update;
  if due.refund_status is null or due.refund_status not in ('queued', 'failed')
      or fail_refund.idempotency_key is distinct from private.next_key('refund', due.id, due.refund_refusals) then
    return;
  end if;
  update public.payments set refund_status = 'failed', refund_refusals = refund_refusals + 1 where id = due.id;
  perform private.note_failure(due.id, 'refund', coalesce(fail_refund.message, ''), fail_refund.code);
  if due.refund_status = 'queued' then
    perform private.notify_refund(due, 'refund_failed', due.refund_amount, private.reason_of_refused_refund(fail_refund.code));
  end if;
end $$;

create or replace function public.finish_refund(payment_id uuid, refund_id text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  if private.record_sent_refund(finish_refund.payment_id, finish_refund.refund_id) then
    select * into strict due from public.payments p where p.id = finish_refund.payment_id;
    perform private.notify_refund(due, 'refund_sent', due.refund_amount);
  end if;
end $$;

create or replace function public.retry_refund(payment_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
  job constant text := 'refund-' || retry_refund.payment_id;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "send a refund again"}');
  perform private.lock_booking_and_payment(retry_refund.payment_id);
  select * into due from public.payments p where p.id = retry_refund.payment_id;
  perform private.require(due.id is not null, 'payment.not_found', 'payment_id');
  perform private.allow(auth.uid() <> due.payer_id, 'admin.own_case', '{"matter": "about your own refund"}');
  perform private.require(due.open_disputes = 0, private.frozen_code(due), 'payment_id');
  perform private.require(due.refund_status in ('queued', 'failed'), 'refund.none_to_send', 'payment_id');
  if due.refund_status = 'queued' and exists (select from pgmq.q_effects q where q.message ->> 'key' = job) then
    return;
  end if;
  update public.payments set refund_status = 'queued' where id = due.id and refund_status = 'failed';
  -- Its tries begin anew: those that wait, or were given up, are no more.
  with over as (
    delete from pgmq.q_effects q where q.message ->> 'key' = job returning q.msg_id
  ), given_up as (
    delete from pgmq.a_effects a using private.failed_effects f
    where f.id = a.msg_id and f.given_up_at is not null and a.message ->> 'key' = job returning a.msg_id)
  delete from private.failed_effects f where f.id in (select msg_id from over union all select msg_id from given_up);
  perform private.enqueue_function('refund-payment', jsonb_build_object('payment_id', due.id), job);
end $$;

drop function private.book_total(uuid,text,text,numeric);

drop function private.end_booking_of(public.payments,public.booking_status);

drop function private.follow_disputes(uuid);

drop function private.follow_disputes_after_settlement(public.payments,public.payments);

drop function private.is_over(private.email_events);

drop function private.lock_money(uuid);

drop function private.lose_payment(public.payments);

drop function private.notify_both(public.payments,text);

drop function private.tell_of_refund(public.payments,text,numeric,text);
