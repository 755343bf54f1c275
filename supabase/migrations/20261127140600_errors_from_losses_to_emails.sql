-- Codes of errors, 7: the rules of losses to emails.
set check_function_bodies = off;

create or replace function public.decide_loss(
  payment_id uuid, decision public.loss_decision, returned_amount numeric default null
) returns jsonb language plpgsql security definer set search_path = '' as $$
declare
  payment public.payments;
  stage public.booking_status;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "decide about a payment"}');
  perform private.lock_money(decide_loss.payment_id);
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
    perform private.follow_disputes(payment.id);
  elsif decide_loss.decision = 'carry_on' then
    update public.payments set escrow_status = 'held', settled_loss = lost_amount where id = payment.id;
    perform private.schedule_tick(now());
  else
    perform private.settle_decision(payment,
      case decide_loss.decision when 'refund' then payment.amount else round(decide_loss.returned_amount, 2) end, 'refunded');
    perform private.end_booking_of(payment, stage);
  end if;
  perform private.notify_both(payment, 'loss_decided');
  select * into strict payment from public.payments p where p.id = decide_loss.payment_id;
  return jsonb_build_object(
    'payout_cents', case when payment.payout_status in ('queued', 'waiting', 'failed') then (payment.payout_amount * 100)::bigint else 0 end,
    'refund_cents', case when payment.refund_status in ('queued', 'failed') then (payment.refund_amount * 100)::bigint else 0 end);
end $$;

create or replace function private.check_answer() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(new.tasker_id = auth.uid(), 'complaint.answer_not_tasker');
  perform private.require(old.answer is null, 'complaint.already_answered', 'answer');
  perform private.require(old.decision is null, 'complaint.already_decided', 'answer');
  new.answer := private.trimmed(new.answer);
  perform private.require(private.visible_length(new.answer) >= private.rule('limits.complaint.min'),
    'complaint.answer_too_short', 'answer');
  perform private.require(length(new.answer) <= private.rule('limits.complaint.max'), 'complaint.answer_too_long', 'answer');
  new.answered_at := now();
  return new;
end $$;

create or replace function private.check_complaint() returns trigger
language plpgsql set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
begin
  -- As the caller sees it: who is no party learns nothing, not even that there is such a booking.
  select * into booking from public.bookings where id = new.booking_id;
  perform private.allow(not private.is_client() or coalesce(booking.task_giver_id = auth.uid(), false),
    'complaint.only_givers');
  payment := private.lock_payment_of(new.booking_id);
  perform private.require(payment.id is not null, 'complaint.not_paid', 'booking_id');
  select * into booking from public.bookings where id = new.booking_id;
  perform private.require(booking.status = 'completed',
    'complaint.work_not_completed', 'booking_id');
  perform private.require(not exists (select from public.complaints where booking_id = new.booking_id),
    'complaint.already_filed', 'booking_id');
  perform private.require(payment.escrow_status = 'held', 'payment.already_settled', 'booking_id');
  perform private.require(
    now() < private.confirmation_from(booking) + make_interval(hours => private.rule('limits.complaint.hours')),
    case when private.confirmation_from(booking) > booking.completed_at
      then 'complaint.too_late_after_date'
      else 'complaint.too_late_after_completion' end, 'booking_id');
  new.payment_id := payment.id;
  new.giver_id := payment.payer_id;
  new.tasker_id := payment.payee_id;
  return new;
end $$;

create or replace function public.decide_complaint(
  complaint_id uuid, decision public.complaint_decision, returned_amount numeric default null, note text default null,
  seen jsonb default null
) returns jsonb language plpgsql security definer set search_path = '' as $$
declare
  complaint public.complaints;
  payment public.payments;
  back numeric;
  news jsonb;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "decide complaints"}');
  -- The payment first, as everywhere.
  select p.* into payment from public.payments p join public.complaints c on c.payment_id = p.id
  where c.id = decide_complaint.complaint_id for no key update of p;
  select * into complaint from public.complaints c where c.id = decide_complaint.complaint_id for no key update;
  perform private.require(complaint.id is not null, 'complaint.not_found', 'complaint_id');
  perform private.allow(auth.uid() not in (complaint.giver_id, complaint.tasker_id),
    'admin.own_case', '{"matter": "on a complaint about your own booking"}');
  perform private.require(complaint.decision is null, 'complaint.already_decided', 'complaint_id');
  perform private.require(seen is null or ((seen ->> 'answered_at')::timestamptz is not distinct from complaint.answered_at
      and (seen ->> 'lost_amount')::numeric is not distinct from payment.lost_amount),
    'complaint.changed', 'complaint_id');
  perform private.require(decide_complaint.decision is not null, 'complaint.decision_required', 'decision');
  perform private.require(decide_complaint.decision = 'release' or complaint.answer is not null
    or now() >= complaint.created_at + make_interval(hours => private.rule('limits.complaint.answerHours')),
    'complaint.awaiting_answer', 'decision');
  perform private.require(coalesce(length(note), 0) <= private.rule('limits.decisionReason.max'), 'complaint.note_too_long', 'note');
  perform private.require(payment.escrow_status = 'frozen', 'payment.not_frozen', 'complaint_id');
  perform private.require(payment.open_disputes = 0, private.frozen_code(payment), 'complaint_id');
  back := case decide_complaint.decision when 'release' then 0 when 'refund' then payment.amount
    else round(decide_complaint.returned_amount, 2) end;
  perform private.require(decide_complaint.decision <> 'split' or (back > 0 and back < payment.amount),
    'complaint.split_out_of_range', 'returned_amount');

  update public.complaints c set decision = decide_complaint.decision, returned_amount = back,
    decision_note = nullif(private.trimmed(note), ''), decided_by = auth.uid(), decided_at = now()
  where c.id = complaint.id;
  if decide_complaint.decision = 'release' then
    update public.payments set released_at = now() where id = payment.id;
  end if;
  payment := private.settle_decision(payment, back,
    case decide_complaint.decision when 'release' then 'released' else 'refunded' end::public.escrow_status);
  update public.tasks set status = 'completed', updated_at = now() where id = payment.task_id;
  news := jsonb_build_object('task', (select title from public.tasks where id = payment.task_id),
    'refund', payment.refund_amount, 'share', payment.payout_amount);
  perform private.notify_person(payment.payer_id,
    case decide_complaint.decision when 'split' then 'complaint_split_giver' else 'complaint_decided_giver' end,
    case decide_complaint.decision when 'split' then news || jsonb_build_object('person', private.person_name(payment.payee_id))
      else news - 'share' end, private.booking_link(payment.booking_id));
  perform private.notify_person(payment.payee_id,
    case decide_complaint.decision when 'split' then 'complaint_split_tasker' else 'complaint_decided_tasker' end,
    case decide_complaint.decision when 'split' then news || jsonb_build_object('person', private.person_name(payment.payer_id))
      else news - 'refund' end, private.booking_link(payment.booking_id));
  return jsonb_build_object('payout_cents', (payment.payout_amount * 100)::bigint,
    'refund_cents', (payment.refund_amount * 100)::bigint);
end $$;

create or replace function public.find_complaints(query text default '', decided boolean default false,
  after_at timestamptz default null, after_id uuid default null, max_results integer default 50)
returns setof public.complaints language plpgsql stable security definer set search_path = '' as $$
declare
  patterns constant text[] := (
    select coalesce(array_agg(private.contains_pattern(w)), '{}') from unnest(private.search_words(query)) w);
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "look through complaints"}');
  return query execute concat_ws(' ',
    'select c.* from public.complaints c where c.decision', case when decided then 'is not null' else 'is null' end,
    case when patterns <> '{}' then format('and exists (select from public.payments p join public.tasks t on t.id = p.task_id
        join private.profiles giver on giver.id = c.giver_id join private.profiles tasker on tasker.id = c.tasker_id
      where p.id = c.payment_id
        and private.search_text(concat_ws(%L, t.title, giver.full_name, tasker.full_name)) like all (%L))', E'\n', patterns)
    end,
    case when after_at is not null then format(case when decided then 'and (c.decided_at, c.id) < (%L, %L)'
      else 'and (c.created_at, c.id) > (%L, %L)' end, after_at, after_id) end,
    'order by', case when decided then 'c.decided_at desc, c.id desc' else 'c.created_at, c.id' end,
    'limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

drop trigger "11_reason_min" on public.complaints;
create trigger "11_reason_min" before insert on public.complaints for each row
when ((private.visible_length(new.reason) >= private.rule('limits.complaint.min')) is not true)
execute function private.reject('complaint.reason_too_short', 'reason');

drop trigger "12_reason_max" on public.complaints;
create trigger "12_reason_max" before insert on public.complaints for each row
when (length(new.reason) > private.rule('limits.complaint.max'))
execute function private.reject('complaint.reason_too_long', 'reason');

create or replace function private.check_reviewed_booking() returns trigger
language plpgsql set search_path = '' as $$
declare
  not_given constant uuid := '00000000-0000-0000-0000-000000000000'; -- the columns' default
  booking constant public.bookings := private.booking_for_review(new.booking_id);
  other constant uuid := case when new.reviewer_id = booking.task_giver_id then booking.task_doer_id
    else booking.task_giver_id end;
  ends constant timestamptz := private.review_ends(new.booking_id, private.confirmation_from(booking));
begin
  perform private.allow(coalesce(new.reviewer_id in (booking.task_giver_id, booking.task_doer_id), false),
    'review.not_party');
  perform private.require(not private.has_left(other),
    'review.person_deleted', 'booking_id');
  perform private.require(booking.status = 'completed', 'review.not_completed', 'booking_id');
  perform private.require(ends < 'infinity', 'review.complaint_open', 'booking_id');
  perform private.require(now() < ends, case
    when exists (select from public.complaints where booking_id = new.booking_id)
      then 'review.too_late_after_decision'
    when private.confirmation_from(booking) > booking.completed_at
      then 'review.too_late_after_date'
    else 'review.too_late_after_completion' end, 'booking_id');
  perform private.require(not exists (select from public.reviews
    where booking_id = new.booking_id and reviewer_id = new.reviewer_id),
    'review.already_written', 'booking_id');
  perform private.require(coalesce(new.reviewee_id, not_given) in (not_given, other),
    'review.reviewee_invalid', 'reviewee_id');
  perform private.require(coalesce(new.task_id, not_given) in (not_given, booking.task_id),
    'review.task_invalid', 'task_id');
  new.task_id := booking.task_id;
  new.reviewee_id := other;
  new.visible_from := ends;
  return new;
end $$;

drop trigger "11_rating" on public.reviews;
create trigger "11_rating" before insert on public.reviews for each row
when ((new.rating between private.rule('limits.reviewStars.min') and private.rule('limits.reviewStars.max')) is not true)
execute function private.reject('review.rating_out_of_range', 'rating');

drop trigger "12_comment" on public.reviews;
create trigger "12_comment" before insert on public.reviews for each row
when (length(new.comment) > private.rule('limits.reviewComment.max'))
execute function private.reject('review.comment_too_long', 'comment');

drop trigger "20_own" on public.reviews;
create trigger "20_own" before insert on public.reviews for each row
when (private.is_client() and (new.reviewer_id = auth.uid()) is not true)
execute function private.forbid('review.not_own');

create or replace function private.check_message_parties() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.is_client() and (new.sender_id = auth.uid()) is not true then
    perform private.fail('message.not_own', null, '{}', '42501');
  end if;
  if not private.may_chat(new.booking_id, new.sender_id, new.receiver_id) then
    perform private.fail('message.not_allowed', null, '{}', '42501');
  end if;
  return new;
end $$;

create or replace function private.check_message_photo() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.photo is not null and (new.photo <> new.booking_id || '/' || new.id || '.jpg'
    or not exists (select from storage.objects where bucket_id = 'chat-photos' and name = new.photo
      and owner_id = new.sender_id::text))
  then
    perform private.fail('message.photo_missing', 'photo');
  end if;
  return new;
end $$;

create or replace function private.check_message_text() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.photo is null and (length(new.message) >= 1) is not true then
    perform private.fail('message.empty', 'message');
  end if;
  if length(new.message) > private.rule('limits.chatMessage.max') then
    perform private.fail('message.too_long', 'message');
  end if;
  return new;
end $$;

create or replace function private.amount_lines(which text, booking uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  paid public.payments;
  base numeric;
  parts record;
  kept numeric;
  -- The labels in English, for the version before.
  labels constant jsonb := '{"task": "Task amount", "task_as_decided": "Task amount, as decided", "paid": "You paid",
    "cancellation_fee": "Cancellation fee", "platform_fee": "Platform fee (%s%%)", "gst": "GST (%s%%)", "payout": "You receive",
    "kept": "Kept for the work, with its fees", "returned_before": "Already returned to your card", "refund": "Goes back to you"}';
  fee constant numeric := private.rule('fees.platformFeePercent');
  gst constant numeric := private.rule('fees.gstPercent');
  lines jsonb;
begin
  select * into paid from public.payments p where p.booking_id = booking;
  if which is null or paid.id is null then
    return '[]';
  elsif which = 'total' then
    lines := jsonb_build_array(jsonb_build_array('task', paid.amount), jsonb_build_array('platform_fee', paid.platform_fee, fee),
      jsonb_build_array('gst', paid.gst, gst), jsonb_build_array('paid', paid.total));
  elsif which = 'payout' then
    base := case when paid.cancellation_fee > 0 then paid.cancellation_fee else paid.amount
      - coalesce((select c.returned_amount from public.complaints c where c.booking_id = booking and c.decision is not null), 0) end;
    select * into parts from private.fees(base);
    if base <= 0 or parts.payout_amount <> paid.payout_amount then
      return '[]';
    end if;
    lines := jsonb_build_array(
      jsonb_build_array(case when paid.cancellation_fee > 0 then 'cancellation_fee' when base < paid.amount
        then 'task_as_decided' else 'task' end, base),
      jsonb_build_array('platform_fee', -parts.platform_fee, fee), jsonb_build_array('gst', -parts.gst, gst),
      jsonb_build_array('payout', parts.payout_amount));
  else
    kept := paid.total - paid.refund_amount - paid.cancellation_fee - least(paid.lost_amount, paid.total);
    if kept < 0 then
      return '[]';
    end if;
    lines := jsonb_build_array(jsonb_build_array('paid', paid.total))
      || case when paid.cancellation_fee > 0 then jsonb_build_array(jsonb_build_array('cancellation_fee', -paid.cancellation_fee)) else '[]' end
      || case when kept > 0 then jsonb_build_array(jsonb_build_array('kept', -kept)) else '[]' end
      || case when paid.lost_amount > 0 then jsonb_build_array(jsonb_build_array('returned_before', -paid.lost_amount)) else '[]' end
      || jsonb_build_array(jsonb_build_array('refund', paid.refund_amount));
  end if;
  return (select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('line', line -> 0, 'percent', line -> 2, 'amount', line -> 1,
    'label', format(labels ->> (line ->> 0), line ->> 2)))) from jsonb_array_elements(lines) line);
end $$;
