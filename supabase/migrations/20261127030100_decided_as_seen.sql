-- A decision is refused if the complaint has changed since the admin opened it. Both sides are told about a split as a split.

insert into private.notification_texts (key, kind, title, message, subject, button, amounts) values
  ('complaint_split_giver', 'complaints', 'Your complaint was decided: a split',
    'The payment for "{task}" is split: {person} gets ${share}, and ${refund} goes back to you.',
    'The payment for "{task}" is split: ${refund} goes back to you', 'See the decision', 'refund'),
  ('complaint_split_tasker', 'complaints', 'A complaint was decided: a split',
    'The payment for "{task}" is split: ${share} goes to you, and {person} gets ${refund} back.',
    'The payment for "{task}" is split: ${share} goes to you', 'See the decision', 'payout');

-- One new optional parameter, `seen`; calls without it behave as before.
drop function public.decide_complaint(uuid, public.complaint_decision, numeric, text);
-- The decision of an admin who is neither of the two. release: all to the tasker, as if confirmed; refund: all back to the giver; split: the
-- task counts as done for `returned_amount` dollars less, and fees, refund and payout follow the fee policy on
-- what is left. `seen`, {answered_at, lost_amount}, is the state the admin saw: a changed case is refused.
-- Answers {payout_cents, refund_cents}.
create function public.decide_complaint(
  complaint_id uuid, decision public.complaint_decision, returned_amount numeric default null, note text default null,
  seen jsonb default null
) returns jsonb language plpgsql security definer set search_path = '' as $$
declare
  complaint public.complaints;
  payment public.payments;
  back numeric;
  news jsonb;
begin
  perform private.allow(private.is_admin(), 'Only admins can decide complaints');
  -- The payment first, as everywhere.
  select p.* into payment from public.payments p join public.complaints c on c.payment_id = p.id
  where c.id = decide_complaint.complaint_id for no key update of p;
  select * into complaint from public.complaints c where c.id = decide_complaint.complaint_id for no key update;
  perform private.require(complaint.id is not null, 'Complaint not found', 'complaint_id');
  perform private.allow(auth.uid() not in (complaint.giver_id, complaint.tasker_id),
    'Another admin decides on a complaint about your own booking');
  perform private.require(complaint.decision is null, 'This complaint is already decided', 'complaint_id');
  perform private.require(seen is null or ((seen ->> 'answered_at')::timestamptz is not distinct from complaint.answered_at
      and (seen ->> 'lost_amount')::numeric is not distinct from payment.lost_amount),
    'This case has changed since you opened it. Please look at it again, then decide', 'complaint_id');
  perform private.require(decide_complaint.decision is not null, 'A decision is required', 'decision');
  perform private.require(decide_complaint.decision = 'release' or complaint.answer is not null
    or now() >= complaint.created_at + make_interval(hours => private.rule('limits.complaint.answerHours')),
    'The tasker has 48 hours to answer; until then only a release can be decided', 'decision');
  perform private.require(coalesce(length(note), 0) <= private.rule('limits.decisionReason.max'), 'Note too long', 'note');
  perform private.require(payment.escrow_status = 'frozen', 'The payment is not frozen', 'complaint_id');
  perform private.require(payment.open_disputes = 0, private.frozen_text(payment), 'complaint_id');
  back := case decide_complaint.decision when 'release' then 0 when 'refund' then payment.amount
    else round(decide_complaint.returned_amount, 2) end;
  perform private.require(decide_complaint.decision <> 'split' or (back > 0 and back < payment.amount),
    'A split returns more than nothing and less than the task amount', 'returned_amount');

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
revoke all on function public.decide_complaint(uuid, public.complaint_decision, numeric, text, jsonb) from public, anon;
grant execute on function public.decide_complaint(uuid, public.complaint_decision, numeric, text, jsonb) to authenticated;
