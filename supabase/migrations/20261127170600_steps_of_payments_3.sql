-- Named steps of what happens before and after a change of payments, payouts, cards and receipts (3 of 3).
set check_function_bodies = off;

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
