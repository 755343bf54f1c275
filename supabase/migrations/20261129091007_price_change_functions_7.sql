-- Changes of a price after the agreement: functions, part 7.
set check_function_bodies = off;

create or replace function public.my_action_items()
returns table (kind text, count integer, title text, person text, task_id uuid, booking_id uuid, amount numeric, due_at timestamptz)
language sql stable security invoker set search_path = '' as $$
  with me as (select auth.uid() as id), item (rank, kind, count, title, person_id, task_id, booking_id, amount, due_at) as (
    select 1, 'confirm', 1, t.title, b.task_doer_id, t.id, b.id,
      p.total + (select coalesce(sum(e.total), 0) from public.payments e where e.part_of = p.id and e.escrow_status = 'held'),
      private.confirmation_from(b) + make_interval(days => private.rule('limits.releaseAfterDays'))
    from me join public.payments p on p.payer_id = me.id and p.escrow_status = 'held'
      join public.bookings b on b.id = p.booking_id and b.status = 'completed' join public.tasks t on t.id = b.task_id
    where p.open_disputes = 0
    union all
    select 2, 'answer_complaint', 1, t.title, c.giver_id, t.id, b.id, null,
      c.created_at + make_interval(hours => private.rule('limits.complaint.answerHours'))
    from me join public.complaints c on c.tasker_id = me.id and c.answer is null and c.decision is null
      join public.bookings b on b.id = c.booking_id join public.tasks t on t.id = b.task_id
    union all
    select 3, 'pay', 1, t.title, b.task_doer_id, t.id, b.id, b.agreed_amount,
      private.pay_by(b.accepted_at, t.scheduled_date)
    from me join public.bookings b on b.task_giver_id = me.id and b.status = 'accepted'
      join public.tasks t on t.id = b.task_id
    where not private.is_suspended(me.id)
    union all
    select 4, 'answer_change', 1, t.title, case when b.task_doer_id = me.id then b.task_giver_id else b.task_doer_id end,
      t.id, b.id, c.amount, c.answer_by
    from me join public.bookings b on (b.task_doer_id = me.id or b.task_giver_id = me.id) and b.status in ('in_progress', 'completed')
      join public.booking_changes c on c.booking_id = b.id and c.kind <> 'tip' and c.answer_by > now()
        and (c.state = 'proposed' and c.proposed_by <> me.id or c.state = 'accepted' and b.task_giver_id = me.id)
      join public.tasks t on t.id = b.task_id join public.payments p on p.booking_id = b.id and p.escrow_status = 'held'
    where not private.is_suspended(me.id)
    union all
    select 4, 'finish', 1, t.title, b.task_giver_id, t.id, b.id, p.payout_amount, t.scheduled_date
    from me join public.bookings b on b.task_doer_id = me.id and b.status = 'in_progress'
      join public.tasks t on t.id = b.task_id join public.payments p on p.booking_id = b.id
    where p.escrow_status <> 'frozen' and (t.scheduled_date <= now() or t.scheduled_date is null)
    union all
    select 5, 'asked', 1, t.title, t.task_giver_id, t.id, null, t.pay_amount, t.asked_until
    from me join public.tasks t on t.asked_tasker_id = me.id and t.status = 'asked'
    where not exists (select from public.bookings b where b.task_id = t.id and b.task_doer_id = me.id and b.status = 'pending')
    union all
    select 5, 'answer_counter', 1, t.title, t.task_giver_id, t.id, b.id, b.counter_amount, b.answer_by
    from me join public.bookings b on b.task_doer_id = me.id and b.status = 'pending' and b.counter_state = 'open' and b.answer_by > now()
      join public.tasks t on t.id = b.task_id
    union all
    select 6, 'choose', count(*)::integer, t.title, null, t.id, null, null, null
    from me join public.bookings b on b.task_giver_id = me.id and b.status = 'pending'
      join public.tasks t on t.id = b.task_id
    where not private.is_suspended(me.id) and b.counter_state is distinct from 'open'
    group by t.id, t.title
    union all
    select 7, 'payout_account', count(*)::integer, null, null, null, null, sum(p.payout_amount), null
    from me join public.payments p on p.payee_id = me.id and p.escrow_status in ('released', 'refunded') and p.payout_status = 'waiting'
    having count(*) > 0
    union all
    select 8, 'work_ahead', 1, t.title, case when b.task_doer_id = me.id then b.task_giver_id else b.task_doer_id end,
      t.id, b.id, null, t.scheduled_date
    from me join public.bookings b on (b.task_doer_id = me.id or b.task_giver_id = me.id) and b.status = 'in_progress'
      join public.tasks t on t.id = b.task_id join public.payments p on p.booking_id = b.id and p.escrow_status <> 'frozen'
    where t.scheduled_date > now() and t.scheduled_date < now() + interval '7 days'
    union all
    select 9, 'review', 1, t.title, case when b.task_doer_id = me.id then b.task_giver_id else b.task_doer_id end,
      t.id, b.id, null, private.review_ends(b.id, private.confirmation_from(b))
    from me join public.bookings b on (b.task_doer_id = me.id or b.task_giver_id = me.id) and b.status = 'completed'
        and private.confirmation_from(b) > now() - make_interval(days => private.rule('limits.reviewDays'))
      join public.payments p on p.booking_id = b.id and p.escrow_status in ('released', 'refunded')
      join public.tasks t on t.id = b.task_id
    where not exists (select from public.reviews r where r.booking_id = b.id and r.reviewer_id = me.id)
    union all
    select 9, 'review', 1, t.title, case when b.task_doer_id = me.id then b.task_giver_id else b.task_doer_id end,
      t.id, b.id, null, private.review_ends(b.id, private.confirmation_from(b))
    from me join public.complaints c on (c.giver_id = me.id or c.tasker_id = me.id)
        and c.decided_at > now() - make_interval(days => private.rule('limits.reviewDays'))
      join public.bookings b on b.id = c.booking_id and b.status = 'completed'
        and private.confirmation_from(b) <= now() - make_interval(days => private.rule('limits.reviewDays'))
      join public.payments p on p.booking_id = b.id and p.escrow_status in ('released', 'refunded')
      join public.tasks t on t.id = b.task_id
    where not exists (select from public.reviews r where r.booking_id = b.id and r.reviewer_id = me.id)
    union all
    select 10, case when v.id is null then 'get_verified' else 'verification_rejected' end, 1, null, null, null, null, null, null
    from me left join public.verifications v on v.user_id = me.id
    where private.has_role('task_doer') and (v.id is null or v.verification_status = 'rejected')
    union all
    select 11, 'decide_verifications', count(*)::integer, null, null, null, null, null, null
    from public.verifications v where private.is_admin() and v.verification_status = 'pending' having count(*) > 0
    union all
    select 12, 'decide_complaints', count(*)::integer, null, null, null, null, null, null
    from public.complaints c where private.is_admin() and c.decision is null having count(*) > 0
  )
  select i.kind, i.count, i.title, person.full_name, i.task_id, i.booking_id, i.amount, i.due_at
  from item i left join public.public_profiles person on person.id = i.person_id
  -- Whoever has no name any more has left.
  where i.kind <> 'review' or person.full_name is not null
  order by i.rank, i.due_at nulls last, i.title, i.booking_id
  limit 20
$$;

create or replace function public.overdue_intents() returns table (payment_id uuid, payment_intent_id text)
language sql stable security definer set search_path = '' as $$
  (select p.id, p.stripe_payment_intent_id
  from public.bookings b join public.tasks t on t.id = b.task_id join public.payments p on p.booking_id = b.id
  where b.status = 'accepted' and private.has_open_intent(b.id)
    and private.pay_by(b.accepted_at, t.scheduled_date) <= now()
  order by p.id limit 100)
  union all
  (select p.id, p.stripe_payment_intent_id
  from public.payments p join public.booking_changes c on c.payment_id = p.id
  where p.escrow_status = 'pending' and p.part_of is not null and p.stripe_payment_intent_id is not null
    and (c.state <> 'accepted' or c.answer_by <= now())
  order by p.id limit 100)
$$;

create function public.prepare_change_payment(change_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  main public.payments;
  change public.booking_changes;
  extra public.payments;
begin
  change := private.lock_change(prepare_change_payment.change_id);
  select * into main from public.payments p where p.booking_id = change.booking_id;
  perform private.allow(main.payer_id = auth.uid(), 'payment.not_giver');
  perform private.require(change.state <> 'done' or change.kind = 'decrease', 'change.already_paid', 'change_id');
  perform private.require(change.kind <> 'decrease' and change.state = 'accepted', 'change.not_open', 'change_id');
  perform private.require(change.answer_by > now(), 'change.lapsed', 'change_id');
  if change.kind <> 'tip' then
    perform private.check_price_open(main);
  end if;
  if change.payment_id is null then
    insert into public.payments (part_of, purpose, task_id, payer_id, payee_id, amount, platform_fee, gst, total, payout_amount)
    select main.id, change.kind::text::public.payment_purpose, main.task_id, main.payer_id, main.payee_id, change.amount,
      f.platform_fee, f.gst, f.total, f.payout_amount
    from private.fees_of(change.kind::text, change.amount) f returning * into extra;
    update public.booking_changes set payment_id = extra.id where id = change.id;
  else
    select * into strict extra from public.payments p where p.id = change.payment_id for no key update;
  end if;
  return private.payment_order(extra);
end $$;

create or replace function public.prepare_payment(booking_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
begin
  select * into booking from public.bookings b where b.id = prepare_payment.booking_id for no key update;
  perform private.require(booking.id is not null and booking.task_giver_id = auth.uid()
    or booking.task_doer_id = auth.uid(), 'booking.not_found', 'booking_id');
  perform private.allow(booking.task_giver_id = auth.uid(), 'payment.not_giver');
  perform private.require(booking.status = 'accepted', case when booking.status in ('in_progress', 'completed')
    then 'payment.already_paid' else 'payment.booking_not_accepted' end, 'booking_id');

  insert into public.payments (booking_id, task_id, payer_id, payee_id, amount, platform_fee, gst, total, payout_amount)
  select booking.id, booking.task_id, booking.task_giver_id, booking.task_doer_id, booking.agreed_amount,
    f.platform_fee, f.gst, f.total, f.payout_amount
  from private.fees(booking.agreed_amount) f
  on conflict on constraint payments_booking_id_key do nothing;
  select * into strict payment from public.payments p where p.booking_id = booking.id for no key update;
  perform private.require(payment.escrow_status = 'pending', 'payment.already_paid', 'booking_id');

  return private.payment_order(payment);
end $$;

create function public.propose_change(
  booking_id uuid, kind public.change_kind, amount numeric, reason text default null, photos text[] default '{}'
) returns uuid language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
  words constant text := nullif(private.trimmed(reason), '');
  made public.booking_changes;
begin
  perform private.require_active_account();
  booking := private.lock_own_booking(propose_change.booking_id);
  payment := private.lock_payment_of(booking.id);
  perform private.require(kind in ('increase', 'decrease', 'expense'), 'change.kind_invalid', 'kind');
  perform private.allow(kind = 'decrease' or auth.uid() = booking.task_doer_id, 'change.not_tasker');
  if booking.status = 'completed' and payment.escrow_status in ('released', 'refunded') then
    perform private.check_price_open(payment);
  end if;
  perform private.require(booking.status = 'in_progress', 'change.not_under_way', 'booking_id');
  perform private.check_price_open(payment);
  perform private.require(not exists (select from public.booking_changes c where c.booking_id = booking.id
    and c.kind = propose_change.kind and c.state in ('proposed', 'accepted')), 'change.one_at_a_time', 'kind');
  perform private.require((select count(*) from public.booking_changes c where c.booking_id = booking.id)
    < private.rule('limits.change.perBooking'), 'change.too_many', 'kind',
    jsonb_build_object('max', private.rule('limits.change.perBooking')));
  perform private.require(kind <> 'expense' or booking.expense_limit is not null, 'change.no_expense_limit', 'kind');
  perform private.check_change_amount(booking, payment, kind, amount);
  perform private.require(kind = 'decrease' or words is not null, 'change.reason_required', 'reason');
  perform private.require(coalesce(length(words), 0) <= private.rule('limits.change.reason'), 'change.reason_too_long', 'reason',
    jsonb_build_object('max', private.rule('limits.change.reason')));
  perform private.check_photos(coalesce(photos, '{}'), 'booking-photos', booking.id, auth.uid(), 'photos');
  perform private.require(kind <> 'expense' or cardinality(photos) > 0, 'change.receipt_required', 'photos');

  insert into public.booking_changes (booking_id, kind, proposed_by, amount, reason, photos, answer_by)
  values (booking.id, propose_change.kind, auth.uid(), propose_change.amount, words, coalesce(propose_change.photos, '{}'),
    now() + make_interval(hours => private.rule('limits.change.hours'))) returning * into made;
  perform private.notify_change(made, booking);
  perform private.schedule_tick(made.answer_by);
  return made.id;
end $$;

create or replace function public.run_scheduled() returns integer
language plpgsql security definer set search_path = '' as $$
begin
  return private.remind_to_confirm() + private.release_by_time() + private.announce_old_reviews() + private.remind_to_pay()
    + private.expire_booking() + private.expire_change() + private.close_overdue_task() + private.end_insurance() + private.remind_before_work()
    + private.sweep_photos() + private.end_data_export() + private.recount_unanswered()
    + private.send_task_alert() + private.send_alert_email();
end $$;

create function public.set_expense_limit(booking_id uuid, amount numeric) returns void
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  used numeric;
  highest constant numeric := private.rule('limits.expenses.max');
begin
  booking := private.lock_own_booking(set_expense_limit.booking_id);
  perform private.require_active_account();
  perform private.allow(auth.uid() = booking.task_giver_id, 'change.limit_not_giver');
  perform private.require(booking.status in ('accepted', 'in_progress'), 'change.not_under_way', 'booking_id');
  used := private.changed_amount(booking.id, 'expense');
  perform private.require(coalesce(amount, 0) >= used and coalesce(amount, 1) > 0, 'change.limit_too_low', 'amount',
    jsonb_build_object('min', greatest(used, private.rule('limits.change.min'))));
  perform private.require(coalesce(amount, 0) <= highest, 'change.amount_too_high', 'amount', jsonb_build_object('max', highest));
  perform private.require(amount is null or amount = round(amount, 2), 'change.amount_too_precise', 'amount');
  if booking.expense_limit is not distinct from amount then
    return;
  end if;
  update public.bookings set expense_limit = amount where id = booking.id;
  if amount is not null then
    perform private.notify_person(booking.task_doer_id, 'expense_limit_set', jsonb_build_object('amount', round(amount, 2),
      'person', private.named(booking.task_giver_id), 'task', private.task_title(booking.id)), private.booking_link(booking.id));
  end if;
end $$;

create function public.withdraw_change(change_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  change public.booking_changes;
begin
  change := private.lock_change(withdraw_change.change_id);
  perform private.allow(auth.uid() = change.proposed_by, 'change.not_own');
  if change.state = 'withdrawn' then
    return;
  end if;
  perform private.require(change.state in ('proposed', 'accepted'), 'change.not_open', 'change_id');
  update public.booking_changes set state = 'withdrawn' where id = change.id returning * into change;
  perform private.close_extra_intent(change);
end $$;

revoke all on public.booking_changes from service_role;

grant select on public.booking_changes to authenticated;

grant select on public.booking_changes to service_role;

grant execute on function public.answer_change(uuid,boolean,numeric) to authenticated;

grant execute on function public.answer_change(uuid,boolean,numeric) to service_role;

grant execute on function public.decide_complaint(uuid,public.complaint_decision,numeric,text,jsonb,boolean) to authenticated;

grant execute on function public.decide_complaint(uuid,public.complaint_decision,numeric,text,jsonb,boolean) to service_role;

grant execute on function public.give_tip(uuid,numeric) to authenticated;

grant execute on function public.give_tip(uuid,numeric) to service_role;

grant execute on function public.prepare_change_payment(uuid) to authenticated;

grant execute on function public.prepare_change_payment(uuid) to service_role;

grant execute on function public.propose_change(uuid,public.change_kind,numeric,text,text[]) to authenticated;

grant execute on function public.propose_change(uuid,public.change_kind,numeric,text,text[]) to service_role;

grant execute on function public.set_expense_limit(uuid,numeric) to authenticated;

grant execute on function public.set_expense_limit(uuid,numeric) to service_role;

grant execute on function public.withdraw_change(uuid) to authenticated;

grant execute on function public.withdraw_change(uuid) to service_role;
