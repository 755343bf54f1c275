-- Changes of a price after the agreement: functions, part 6.
set check_function_bodies = off;

create function public.decide_complaint(
  complaint_id uuid, decision public.complaint_decision, returned_amount numeric default null, note text default null,
  seen jsonb default null, return_extras boolean default null
) returns jsonb language plpgsql security definer set search_path = '' as $$
declare
  complaint public.complaints;
  payment public.payments;
  back numeric;
  extras record;
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
  perform private.require(payment.open_disputes = 0, private.freeze_reason_code(payment), 'complaint_id');
  back := case decide_complaint.decision when 'release' then 0 when 'refund' then payment.amount - payment.reduction
    else round(decide_complaint.returned_amount, 2) end;
  perform private.require(decide_complaint.decision <> 'split' or (back > 0 and back < payment.amount - payment.reduction),
    'complaint.split_out_of_range', 'returned_amount');
  perform private.require(decide_complaint.decision <> 'split' or return_extras is not null
    or not exists (select from public.payments p where p.part_of = payment.id and p.escrow_status in ('held', 'frozen')),
    'complaint.extras_undecided', 'return_extras');

  update public.complaints c set decision = decide_complaint.decision, returned_amount = back,
    extras_returned = case decide_complaint.decision when 'release' then false when 'refund' then true else return_extras end,
    decision_note = nullif(private.trimmed(note), ''), decided_by = auth.uid(), decided_at = now()
  where c.id = complaint.id;
  payment := private.settle_decision(payment, back,
    case decide_complaint.decision when 'release' then 'released' else 'refunded' end::public.escrow_status);
  perform private.settle_extras(payment.id);
  select * into strict extras from private.extra_sums(payment.id);
  update public.tasks set status = 'completed', updated_at = now() where id = payment.task_id;
  news := extras.facts || jsonb_build_object('task', (select title from public.tasks where id = payment.task_id),
    'refund', payment.refund_amount + extras.refund, 'share', payment.payout_amount + extras.payout);
  perform private.notify_person(payment.payer_id,
    case decide_complaint.decision when 'split' then 'complaint_split_giver' else 'complaint_decided_giver' end,
    case decide_complaint.decision when 'split' then news || jsonb_build_object('person', private.named(payment.payee_id))
      else news - 'share' end, private.booking_link(payment.booking_id));
  perform private.notify_person(payment.payee_id,
    case decide_complaint.decision when 'split' then 'complaint_split_tasker' else 'complaint_decided_tasker' end,
    case decide_complaint.decision when 'split' then news || jsonb_build_object('person', private.named(payment.payer_id))
      else news - 'refund' end, private.booking_link(payment.booking_id));
  return jsonb_build_object('payout_cents', ((payment.payout_amount + extras.payout) * 100)::bigint,
    'refund_cents', ((payment.refund_amount + extras.refund) * 100)::bigint);
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
  perform private.require(payment.open_disputes = 0, private.freeze_reason_code(payment), 'payment_id');
  perform private.require(payment.unsettled_loss > 0 and payment.escrow_status <> 'pending',
    'payment.nothing_to_decide', 'payment_id');
  perform private.require(not exists (select from public.complaints c where c.payment_id = payment.id and c.decision is null),
    'payment.complaint_open', 'payment_id');
  select status into strict stage from public.bookings where id = private.booking_of_payment(payment);
  perform private.require(decide_loss.decision <> 'split' or (stage = 'completed' and payment.escrow_status = 'frozen'),
    'payment.not_splittable', 'decision');
  perform private.require(decide_loss.decision <> 'split' or (returned_amount > 0 and returned_amount < payment.amount - payment.reduction),
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
    perform private.settle_extra(payment.id);
  else
    perform private.settle_decision(payment, case decide_loss.decision when 'refund' then payment.amount - payment.reduction
      else round(decide_loss.returned_amount, 2) end, 'refunded');
    if payment.part_of is null then
      perform private.end_unpaid_booking(payment, stage);
      perform private.settle_extras(payment.id);
    end if;
  end if;
  perform private.notify_parties(payment, 'loss_decided');
  select * into strict payment from public.payments p where p.id = decide_loss.payment_id;
  return jsonb_build_object(
    'payout_cents', case when payment.payout_status in ('queued', 'waiting', 'failed') then (payment.payout_amount * 100)::bigint else 0 end,
    'refund_cents', case when payment.refund_status in ('queued', 'failed') then (payment.refund_amount * 100)::bigint else 0 end);
end $$;

create or replace function public.fail_payout(payment_id uuid, message text, idempotency_key text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
  reason constant text := private.transfer_refusal_reason(fail_payout.code);
  before text;
  closed constant boolean := coalesce(fail_payout.code = 'account_invalid', false);
begin
  select * into due from public.payments p where p.id = fail_payout.payment_id for no key update;
  perform private.require(due.id is not null, 'payment.not_found', 'payment_id');
  if due.payout_status not in ('queued', 'failed', 'waiting')
      or fail_payout.idempotency_key is distinct from private.next_idempotency_key('payout', due.id, due.payout_refusals) then
    return;
  end if;
  select private.transfer_refusal_reason(f.code) into before from public.payment_failures f
  where f.payment_id = due.id and f.step = 'payout' and due.payout_status = 'failed';
  update public.payments set payout_status = case when closed then 'waiting' else 'failed' end::public.transfer_status,
    payout_refusals = payout_refusals + 1 where id = due.id;
  perform private.record_failure(due.id, 'payout', coalesce(fail_payout.message, ''), fail_payout.code);
  if closed then
    -- The money owed waits for another account, which is opened with the next bank details.
    update public.payout_accounts set account_type = 'manual', account_status = 'restricted', bank_last4 = null, bank_name = null,
      requirements = '{}', requirement_errors = '[]', updated_at = now()
    where user_id = due.payee_id and account_type <> 'manual';
  end if;
  if before is distinct from reason then
    perform private.notify_person(due.payee_id, 'payout_failed', private.extra_facts(due) || jsonb_build_object(
      'amount', due.payout_amount, 'task', (select title from public.tasks where id = due.task_id), 'reason', private.coded(reason)),
      '/profile?tab=payout');
  end if;
end $$;

create or replace function public.find_payments(kind text default 'payments', state text default 'all', query text default '',
  before_at timestamptz default null, before_id uuid default null, max_results integer default 50)
returns table (id uuid, booking_id uuid, task_id uuid, task_title text, payer_id uuid, payer_name text, payee_id uuid,
  payee_name text, amount numeric, total numeric, payout_amount numeric, refund_amount numeric, refunded_amount numeric,
  lost_amount numeric, escrow_status public.escrow_status, payout_status public.transfer_status,
  refund_status public.transfer_status, stuck boolean, failure text, created_at timestamptz, updated_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
declare
  state_column constant text := case kind when 'payments' then 'escrow_status' when 'payouts' then 'payout_status'
    when 'refunds' then 'refund_status' end;
  step constant text := case kind when 'payments' then 'charge' when 'payouts' then 'payout' else 'refund' end;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "look through payments"}');
  perform private.require(state_column is not null, 'admin.kind_unknown', 'kind');
  perform private.require(state in ('all', 'stuck') or state = any (case kind
      when 'payments' then enum_range(null::public.escrow_status)::text[]
      else enum_range(null::public.transfer_status)::text[] end), 'admin.state_unknown', 'state');
  return query execute concat_ws(' ',
    'select p.id, private.booking_of_payment(p), p.task_id, t.title, p.payer_id, giver.full_name, p.payee_id, tasker.full_name, p.amount, p.total,',
    'p.payout_amount, p.refund_amount, p.refunded_amount, p.lost_amount, p.escrow_status, p.payout_status, p.refund_status,',
    'private.is_transfer_overdue(p), f.message || coalesce('' ('' || f.code || '')'', ''''), p.created_at, p.updated_at from public.payments p join public.tasks t on t.id = p.task_id',
    'join private.profiles giver on giver.id = p.payer_id join private.profiles tasker on tasker.id = p.payee_id',
    format('left join public.payment_failures f on f.payment_id = p.id and f.step = %L', step),
    'where', private.payment_search(query),
    case when state = 'stuck' then 'and private.is_transfer_overdue(p)'
      when state <> 'all' then format('and p.%I = %L', state_column, state) end,
    case when state in ('all', 'stuck') and kind = 'payouts' then 'and p.payout_status <> ''none''' end,
    case when state in ('all', 'stuck') and kind = 'refunds' then 'and p.refund_status <> ''none''' end,
    case when before_at is not null then format('and (p.created_at, p.id) < (%L, %L)', before_at, before_id) end,
    'order by p.created_at desc, p.id desc limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

create or replace function public.finish_payout(payment_id uuid, transfer_id text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  perform private.require(transfer_id <> '', 'payout.transfer_id_required', 'transfer_id');
  select * into due from public.payments p where p.id = finish_payout.payment_id for no key update;
  perform private.require(due.id is not null, 'payment.not_found', 'payment_id');
  if due.stripe_transfer_id = finish_payout.transfer_id then
    return;
  end if;
  if due.payout_amount = 0 then
    due := private.restore_kept_payout(due);
  end if;
  perform private.require(due.stripe_transfer_id is null and due.escrow_status in ('released', 'refunded') and due.payout_amount > 0,
    'payout.none_due', 'payment_id');
  -- A loss that a bank decided while the transfer was on its way is the platform's, as of any payout that was sent.
  update public.payments set payout_status = 'sent', stripe_transfer_id = finish_payout.transfer_id,
    settled_loss = case when open_disputes = 0 then greatest(settled_loss, lost_amount) else settled_loss end where id = due.id;
  perform private.record_failure(due.id, 'payout', null);
  perform private.post_ledger(due.id, 'payout', finish_payout.transfer_id,
    jsonb_build_object('tasker', due.payout_amount, 'provider', -due.payout_amount));
  perform private.notify_person(due.payee_id, 'payout_sent', private.extra_facts(due) || jsonb_build_object(
    'amount', due.payout_amount, 'task', (select title from public.tasks where id = due.task_id)), '/profile?tab=payout');
end $$;

create function public.give_tip(booking_id uuid, amount numeric) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
  tip public.booking_changes;
begin
  perform private.require_active_account();
  booking := private.require_own_booking(give_tip.booking_id);
  payment := private.lock_payment_of(booking.id);
  perform private.allow(auth.uid() = booking.task_giver_id, 'change.tip_not_giver');
  perform private.require(payment.escrow_status = 'released', 'change.tip_too_early', 'booking_id');
  perform private.require(payment.released_at > now() - make_interval(days => private.rule('limits.tip.days')),
    'change.tip_too_late', 'booking_id', jsonb_build_object('days', private.rule('limits.tip.days')));
  perform private.require(exists (select from private.profiles p where p.id = booking.task_doer_id and p.deleted_at is null),
    'change.person_left', 'booking_id');
  perform private.require((select count(*) from public.booking_changes c where c.booking_id = booking.id and c.kind = 'tip'
    and c.state = 'done') < private.rule('limits.tip.count'), 'change.too_many_tips', 'booking_id',
    jsonb_build_object('max', private.rule('limits.tip.count')));
  perform private.check_change_amount(booking, payment, 'tip', amount);
  select * into tip from public.booking_changes c where c.booking_id = booking.id and c.kind = 'tip' and c.state = 'accepted';
  if tip.amount = give_tip.amount and tip.answer_by > now() then
    return tip.id;
  end if;
  if tip.id is not null then
    update public.booking_changes set state = 'withdrawn' where id = tip.id;
    perform private.close_extra_intent(tip);
  end if;
  insert into public.booking_changes (booking_id, kind, proposed_by, amount, state, answer_by)
  values (booking.id, 'tip', auth.uid(), give_tip.amount, 'accepted',
    now() + make_interval(hours => private.rule('limits.change.hours'))) returning * into tip;
  perform private.schedule_tick(tip.answer_by);
  return tip.id;
end $$;
