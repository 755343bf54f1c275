-- A cancellation answers what becomes of the task, which is closed once its time has passed, whoever cancels.
set check_function_bodies = off;

create or replace function private.notification_values() returns jsonb
language sql immutable set search_path = '' as $$
  select $json${
  "what": {
    "task": "task",
    "message": "message",
    "profile": "profile",
    "review": "review"
  },
  "outcome": {
    "hidden": "has hidden it",
    "kept": "has found nothing against our rules"
  },
  "listing": {
    "listed_again": "The task is listed again.",
    "closed": "The task is closed.",
    "on_hold": "The task stays on hold while your account is suspended."
  },
  "role": {
    "admin": "administrator",
    "task_doer": "tasker",
    "task_giver": "task giver",
    "task_giver_task_doer": "tasker and task giver",
    "task_doer_admin": "administrator and tasker",
    "task_giver_admin": "administrator and task giver",
    "task_giver_task_doer_admin": "administrator, tasker and task giver"
  },
  "transfer": {
    "payout": "payout",
    "refund": "refund"
  },
  "text": {
    "photo": "Photo",
    "removed_message": "Removed message"
  },
  "reason": {
    "account_closed": "The bank account has been closed.",
    "account_restricted": "The bank takes no deposits for this account at the moment.",
    "other_holder": "The account does not belong to the name that the bank was given.",
    "account_not_found": "No account with these numbers was found, or it takes no deposits.",
    "currency_not_taken": "The account does not take {{currency}}.",
    "bank_refused": "The bank did not take it.",
    "account_incomplete": "Your payout account cannot take money yet. Your profile says under Payout what is missing; the money is sent at once when that is done.",
    "account_closed_by_provider": "The payment provider has closed your payout account. Enter your bank details again under Payout in your profile: that opens a new one, and the money is sent to it.",
    "platform_balance_low": "Our own balance at the payment provider is too low at the moment. There is nothing for you to do; we try again.",
    "provider_refused_payout": "The payment provider did not take it. We try again; if your payout account asks for something, the money is sent at once when that is done.",
    "provider_refused_refund": "The payment provider did not take it. We try again, and an administrator knows of it; there is nothing for you to do. If you have a question, write to us.",
    "admin_sends_payout": "An administrator looks into it and sends it. If your payout account asks for something, the money is sent at once when that is done."
  },
  "person": {
    "deleted_user": "Deleted user"
  },
  "name": {
    "deleted_user": "Deleted user"
  },
  "task": {
    "removed_task": "Removed task"
  }
}$json$::jsonb
$$;

create or replace function public.cancel_booking(booking_id uuid, reason text default null, list_again boolean default true) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  caller constant uuid := auth.uid();
  booking public.bookings;
  payment public.payments;
  task public.tasks;
  fee numeric(12, 2) := 0;
  refund numeric := 0;
  split record;
  facts jsonb;
  outcome text;
  answer text;
  listing text;
begin
  perform from public.bookings b where b.id = cancel_booking.booking_id for no key update;
  booking := private.cancellable_booking(cancel_booking.booking_id);
  select * into strict task from public.tasks where id = booking.task_id;
  if booking.status <> 'pending' then
    listing := case
      when not list_again and caller = booking.task_giver_id or task.scheduled_date <= now() then 'closed'
      when private.is_suspended(booking.task_giver_id) then 'on_hold'
      else 'listed_again' end;
  end if;

  if booking.status <> 'in_progress' then
    perform private.set_actor(case when caller = booking.task_giver_id then 'giver' else 'tasker' end::private.booking_actor);
    if booking.status = 'pending' and caller = booking.task_giver_id then
      update public.bookings set status = 'rejected' where id = booking.id;
      outcome := 'declined';
    else
      update public.bookings set status = 'cancelled', cancellation_reason = reason where id = booking.id;
      outcome := case when booking.status = 'pending' then 'withdrawn' else 'not_paid' end;
    end if;
    perform private.set_actor(null);
  else
    select * into strict payment from public.payments p where p.booking_id = booking.id for no key update;
    perform private.require(payment.escrow_status = 'held', private.freeze_reason_code(payment), 'booking_id');
    if caller = booking.task_giver_id then
      fee := private.cancellation_fee(payment.amount, payment.total, task.scheduled_date, now());
    end if;
    refund := greatest(payment.total - fee - payment.lost_amount, 0);
    select * into split from private.fees(fee);
    perform private.set_actor('cancellation');
    update public.bookings set status = 'cancelled', cancellation_reason = reason where id = booking.id;
    perform private.set_actor(null);
    update public.payments set cancellation_fee = fee where id = payment.id;
    perform private.settle_payment(payment.id, 'cancellation', 'refunded', split.payout_amount, payment.total - fee, split.gst);

    facts := jsonb_build_object('person', private.named(caller), 'task', task.title, 'fee', fee, 'refund', refund);
    if caller = booking.task_giver_id then
      perform private.notify_person(booking.task_giver_id, 'own_booking_cancelled', facts || jsonb_build_object(
        'listing', private.coded(listing)), '/bookings');
      perform private.notify_person(booking.task_doer_id, 'booking_cancelled_share', jsonb_build_object(
        'person', private.named(caller), 'task', task.title, 'share', split.payout_amount), '/bookings');
    else
      perform private.notify_person(booking.task_giver_id, 'booking_cancelled_refund', facts, '/bookings');
    end if;
    outcome := case when fee > 0 then 'fee' else 'full_refund' end;
  end if;
  if listing = 'closed' then
    update public.tasks set status = 'cancelled', updated_at = now() where id = booking.task_id and status = 'open';
  end if;
  answer := case outcome
    when 'declined' then 'Application declined.'
    when 'withdrawn' then 'Application withdrawn.'
    when 'not_paid' then 'No fee applies, because nothing was paid.'
    when 'fee' then format('A cancellation fee of $%s applies; $%s will be refunded within 5 to 10 business days.',
      to_char(fee, 'FM999999990.00'), to_char(refund, 'FM999999990.00'))
    else format('The full payment of $%s will be refunded within 5 to 10 business days.', to_char(refund, 'FM999999990.00')) end;
  return jsonb_build_object('outcome', outcome, 'message', answer, 'fee_cents', (fee * 100)::bigint, 'refund_cents', (refund * 100)::bigint,
    'listing', listing);
end $$;
