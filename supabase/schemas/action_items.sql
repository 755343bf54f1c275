-- The dashboard's list of items that need the caller's attention, and the caller's spending. No tables: both functions read
-- rows that the caller may see.

set check_function_bodies = off;

-- The caller's open items, most urgent kinds first; at most 20. `amount` is in dollars: the amount held (confirm), the agreed
-- price before fees (pay), the counter-offer (answer_counter), the change before fees (answer_change), the task's price (asked),
-- the tasker's payout (finish, payout_account). `due_at` is when the item resolves itself, expires or takes place. `count` is the
-- number of applications, payouts, verifications or complaints. Work whose payment is frozen is left out.
create function public.my_action_items()
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
    select 2, 'answer_no_show', 1, t.title, n.reported_by, t.id, b.id, null, n.answer_by
    from me join public.no_shows n on me.id in (n.task_giver_id, n.task_doer_id) and n.reported_by <> me.id and n.state = 'open'
      join public.bookings b on b.id = n.booking_id and b.status = 'in_progress' join public.tasks t on t.id = b.task_id
    union all
    select 3, 'pay', 1, t.title, b.task_doer_id, t.id, b.id, b.agreed_amount,
      private.payment_deadline(b, t.scheduled_date)
    from me join public.bookings b on b.task_giver_id = me.id and b.status = 'accepted'
      join public.tasks t on t.id = b.task_id
    where not private.is_suspended(me.id) and private.is_payment_due(b, t.scheduled_date)
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
    select 5, 'answer_time', 1, t.title, p.proposed_by, t.id, b.id, null, p.answer_by
    from me join public.time_proposals p on me.id in (p.task_giver_id, p.task_doer_id) and p.proposed_by <> me.id
        and p.state = 'open' and p.answer_by > now()
      join public.bookings b on b.id = p.booking_id and b.status in ('accepted', 'in_progress')
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
      and (b.series_id is null or not exists (select from public.bookings o join public.reviews r on r.booking_id = o.id
        where o.series_id = b.series_id and r.reviewer_id = me.id))
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
      and (b.series_id is null or not exists (select from public.bookings o join public.reviews r on r.booking_id = o.id
        where o.series_id = b.series_id and r.reviewer_id = me.id))
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

-- Dollars the caller has paid so far, including fees, minus what was returned. Givers see it on the dashboard, next to their
-- earnings.
create function public.my_spending() returns numeric
language sql stable security invoker set search_path = '' as $$
  select coalesce(sum(greatest(total - refunded_amount - lost_amount, 0)), 0) from public.payments
  where payer_id = (select auth.uid()) and escrow_status <> 'pending'
$$;

comment on function public.my_action_items() is 'What waits for the caller, most urgent kinds first';

grant execute on function
  public.my_spending(), public.my_action_items()
to authenticated;
