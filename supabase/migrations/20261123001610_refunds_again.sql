-- Refunds that did not arrive: an admin sends one again, and once the last try of itself has failed the giver reads what is true then.

insert into private.notification_texts (key, kind, title, message, subject, button, amounts) values
  ('refund_given_up', 'payments', 'Refund delayed',
    'Your refund of ${amount} for "{task}" still has not gone through. It is not tried by itself any more: an administrator sends it, and we tell you when it is sent. If you have a question, write to us.',
    'Your refund of ${amount} for "{task}" takes longer', 'Open the booking', 'refund');

create or replace function private.tell_of_refund(refunded public.payments, event_key text, amount numeric, reason text default null) returns void
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.email_events e where e.person_id = refunded.payer_id and e.booking_id = refunded.booking_id
    and e.email_id is null and e.key in ('refund_sent', 'refund_failed', 'refund_returned', 'refund_given_up');
  perform private.notify_person(refunded.payer_id, event_key, jsonb_strip_nulls(jsonb_build_object('amount', amount,
    'task', (select title from public.tasks where id = refunded.task_id), 'reason', reason)), private.booking_link(refunded.booking_id));
end $$;

-- Sets an effect aside for good: admins decide what becomes of it. A giver whose refund it was hears of it.
create or replace function private.give_up_effect(effect_id bigint, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  refunded public.payments;
begin
  perform pgmq.archive('effects', effect_id);
  insert into private.failed_effects (id, error, given_up_at) values (effect_id, left(reason, 1000), now())
  on conflict (id) do update set error = excluded.error, failed_at = now(), given_up_at = now();
  select p.* into refunded from pgmq.a_effects a join public.payments p on p.id = (a.message #>> '{body,payment_id}')::uuid
  where a.msg_id = effect_id and a.message ->> 'function' = 'refund-payment'
    and p.refund_status in ('queued', 'failed') and p.open_disputes = 0;
  if found then
    perform private.tell_of_refund(refunded, 'refund_given_up', refunded.refund_amount);
  end if;
end $$;

-- Sends a refund again that was refused, or that came back after it was sent. Does nothing where it is on its way already; the
-- money moves once (begin_refund).
create function public.retry_refund(payment_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
  job constant text := 'refund-' || retry_refund.payment_id;
begin
  perform private.allow(private.is_admin(), 'Only admins can send a refund again');
  perform private.lock_money(retry_refund.payment_id);
  select * into due from public.payments p where p.id = retry_refund.payment_id;
  perform private.require(due.id is not null, 'Payment not found', 'payment_id');
  perform private.allow(auth.uid() <> due.payer_id, 'Another admin decides about your own refund');
  perform private.require(due.open_disputes = 0, private.frozen_text(due), 'payment_id');
  perform private.require(due.refund_status in ('queued', 'failed'), 'This payment has no refund to send', 'payment_id');
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
revoke execute on function public.retry_refund(uuid) from public, anon;
grant execute on function public.retry_refund(uuid) to authenticated;

-- Admins read of money that could not be sent where it is sent again.
create or replace function private.follow_failed_transfer() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  payout constant boolean := new.payout_status = 'failed' and old.payout_status <> 'failed';
begin
  perform private.notify_admins('transfer_failed', jsonb_build_object('transfer', case when payout then 'payout' else 'refund' end,
    'amount', case when payout then new.payout_amount else new.refund_amount end,
    'task', (select title from public.tasks where id = new.task_id)),
    format('/admin/money?tab=%s&search=%s', case when payout then 'payouts' else 'refunds' end, new.id));
  return null;
end $$;
