// Rules that no order of events may break, as queries that list every breach.
import type { TestDatabase } from '../support/database.ts'
import { owner } from './personas.ts'

/** Rules that hold in every state; each query lists what breaks one. */
const rules: Record<string, string> = {
  'every ledger transaction sums to zero':
    'select transaction_id from public.ledger_entries group by 1 having sum(amount) <> 0',
  'every payment sums to zero':
    'select payment_id from public.ledger_entries group by 1 having sum(amount) <> 0',
  'escrow holds exactly what is held or frozen': `
    select p.id, p.escrow_status from public.payments p
    where coalesce((select sum(amount) from public.ledger_entries e where e.payment_id = p.id and e.account = 'escrow'), 0)
      <> case when p.escrow_status in ('held', 'frozen') then -p.total else 0 end`,
  'a tasker is owed what was not sent': `
    select p.id from public.payments p
    where coalesce((select sum(amount) from public.ledger_entries e where e.payment_id = p.id and e.account = 'tasker'), 0)
      <> case when p.escrow_status in ('released', 'refunded') and p.payout_status <> 'sent' then -p.payout_amount else 0 end`,
  'a giver is owed what was not sent back': `
    select p.id from public.payments p
    where coalesce((select sum(amount) from public.ledger_entries e where e.payment_id = p.id and e.account = 'giver'), 0)
      <> case when p.refund_status <> 'sent' then -p.refund_amount else 0 end`,
  'one charge, one payout, one refund that did not come back': `
    select payment_id, split_part(kind, '_returned', 1) from public.ledger_entries
    where kind in ('charge', 'payout', 'refund', 'refund_returned') and account = 'provider'
    group by 1, 2 having count(*) filter (where kind <> 'refund_returned') - count(*) filter (where kind = 'refund_returned') > 1`,
  'money and work go together': `
    select b.id, b.status, p.escrow_status from public.bookings b left join public.payments p on p.booking_id = b.id
    where (b.status = 'in_progress' and p.escrow_status is distinct from 'held'
        and not (p.escrow_status = 'frozen' and (p.open_disputes > 0 or p.unsettled_loss > 0)))
      or (b.status = 'completed' and p.escrow_status is distinct from 'held'
        and p.escrow_status not in ('frozen', 'released', 'refunded'))
      or (b.status in ('pending', 'accepted', 'rejected') and coalesce(p.escrow_status, 'pending') <> 'pending')
      or (b.status = 'cancelled' and coalesce(p.escrow_status, 'pending') not in ('pending', 'refunded'))`,
  'a task is as its bookings are': `
    select t.id, t.status, array_agg(b.status) from public.tasks t left join public.bookings b on b.task_id = t.id
    group by t.id having
      (t.status = 'open' and bool_or(b.status in ('accepted', 'in_progress', 'completed')))
      or (t.status = 'assigned' and count(*) filter (where b.status in ('accepted', 'in_progress', 'completed')) <> 1)
      or (t.status <> 'open' and bool_or(b.status = 'pending'))`,
  'nobody is in two places': `
    select a.id from public.bookings a join public.bookings b on a.task_doer_id = b.task_doer_id and a.id < b.id
      and a.period && b.period and a.status in ('accepted', 'in_progress') and b.status in ('accepted', 'in_progress')`,
  'what is frozen has a reason': `
    select p.id from public.payments p where p.escrow_status = 'frozen' and p.open_disputes = 0 and p.unsettled_loss = 0
      and not exists (select from public.complaints c where c.payment_id = p.id and c.decision is null)`,
  'what is held is wholly there': `
    select p.id from public.payments p
    where p.escrow_status = 'held' and (p.open_disputes > 0 or p.unsettled_loss > 0)`,
  'a payment counts its disputes and the refunds made at the provider': `
    select p.id, p.open_disputes, p.lost_amount, d.*, r.* from public.payments p,
      lateral (select count(*) filter (where open) as open, coalesce(sum(lost), 0) as lost,
        coalesce(sum(withdrawn - reinstated), 0) as taken from public.disputes where payment_id = p.id) d,
      lateral (select coalesce(sum(gone), 0) as gone from public.outside_refunds where payment_id = p.id) r,
      lateral (select coalesce(-sum(amount), 0) as booked from public.ledger_entries
        where payment_id = p.id and account = 'provider' and kind in ('dispute', 'dispute_won', 'outside_refund')) l
    where (p.open_disputes, p.lost_amount, l.booked) is distinct from (d.open, d.lost + r.gone, d.taken + r.gone)`,
  'what is agreed on an offer is one of its options or the counter-offer, at its time': `
    select b.id from public.bookings b join public.tasks t on t.id = b.task_id
    where b.status in ('accepted', 'in_progress', 'completed') and b.offer_options is not null
      and (b.agreed_amount is distinct from case when b.counter_state = 'accepted' then b.counter_amount
          else (b.offer_options -> (b.accepted_option - 1) ->> 'amount')::numeric end
        or t.scheduled_date is distinct from coalesce(private.offered_time(b), t.scheduled_date))`,
  'what is paid is what was agreed, with the fees of the policy': `
    select p.id from public.payments p join public.bookings b on b.id = p.booking_id, private.fees(b.agreed_amount) f
    where (p.amount, p.platform_fee, p.gst, p.total) is distinct from (b.agreed_amount, f.platform_fee, f.gst, f.total)`,
  'what a cancellation costs is the policy at its time': `
    select p.id, p.cancellation_fee, due.fee from public.payments p join public.bookings b on b.id = p.booking_id
      join public.tasks t on t.id = b.task_id,
      lateral (select case when b.cancelled_by = b.task_giver_id
        then private.cancellation_fee(p.amount - p.reduction, p.total, t.scheduled_date, b.cancelled_at) else 0 end as fee) due,
      private.fees(due.fee) f
    where b.status = 'cancelled' and b.started_at is not null and p.lost_amount + p.settled_loss = 0
      and (p.cancellation_fee, p.payout_amount, p.refund_amount) is distinct from (due.fee, f.payout_amount, p.total - due.fee)`,
  'what is released in full pays what the policy says': `
    select p.id from public.payments p, private.fees_of(p.purpose::text, p.amount - p.reduction) f
    where p.escrow_status = 'released' and p.lost_amount + p.settled_loss = 0 and p.payout_amount <> f.payout_amount`,
  'what was complained about is decided once the money is gone': `
    select c.id from public.complaints c join public.payments p on p.id = c.payment_id
    where (c.decision is null) <> (p.escrow_status = 'frozen')`,
  'nobody cancels past a payment that is being made': `
    select b.id from public.bookings b join public.payments p on p.booking_id = b.id
    where b.status not in ('accepted', 'in_progress', 'completed') and p.escrow_status = 'pending'
      and p.stripe_payment_intent_id is not null`,
  'an extra payment costs the amount of its change, with the fees of its kind': `
    select p.id from public.payments p left join public.booking_changes c on c.payment_id = p.id,
      private.fees_of(p.purpose::text, c.amount) f
    where p.part_of is not null and (c.kind::text, c.amount, f.platform_fee, f.gst, f.total)
      is distinct from (p.purpose::text, p.amount, p.platform_fee, p.gst, p.total)`,
  'a change is done once its extra payment is charged, and every other charge went back': `
    select c.id, c.state, p.escrow_status from public.booking_changes c left join public.payments p on p.id = c.payment_id
    where c.kind <> 'decrease' and ((c.state = 'done') <> (coalesce(p.escrow_status, 'pending') <> 'pending')
      and not (p.escrow_status = 'refunded' and p.payout_amount = 0))`,
  'an extra payment leaves escrow with the payment of its booking': `
    select e.id, e.escrow_status, m.escrow_status from public.payments e join public.payments m on m.id = e.part_of
    where (e.escrow_status = 'held' and m.escrow_status not in ('held', 'frozen'))
      or (e.escrow_status = 'released' and m.escrow_status in ('held', 'frozen'))`,
  'a price is lowered by its decreases, and stays within floor and ceiling': `
    select m.id from public.payments m, lateral (select coalesce(sum(amount) filter (where kind = 'decrease' and state = 'done'), 0) as less,
      coalesce(sum(amount) filter (where kind = 'increase' and state in ('proposed', 'accepted', 'done')), 0) as more,
      coalesce(sum(amount) filter (where kind = 'expense' and state in ('proposed', 'accepted', 'done')), 0) as spent
      from public.booking_changes where booking_id = m.booking_id) c join public.bookings b on true
    where b.id = m.booking_id and (m.reduction <> c.less or m.amount - m.reduction < least(25, m.amount)
      or m.amount - m.reduction + c.more > 100000 or c.spent > coalesce(b.expense_limit, 0))`,
  'what a cancellation keeps of an increase is the policy at its time, and expenses are paid': `
    select e.id, e.purpose, e.cancellation_fee, due.fee from public.payments e join public.payments m on m.id = e.part_of
      join public.bookings b on b.id = m.booking_id join public.booking_changes c on c.payment_id = e.id,
      lateral (select coalesce(m.cancellation_fee / nullif(m.amount - m.reduction, 0), 0) as share) rate,
      lateral (select case when b.cancelled_by = b.task_giver_id and e.purpose = 'increase' and rate.share in (0.25, 0.5)
        then round(e.amount * rate.share, 2) else 0 end as fee) due, private.fees(due.fee) f
    where b.status = 'cancelled' and c.state = 'done' and e.escrow_status in ('released', 'refunded') and e.lost_amount + e.settled_loss = 0
      and m.lost_amount + m.settled_loss = 0
      and ((e.purpose = 'increase' and (e.cancellation_fee, e.payout_amount, e.refund_amount) is distinct from (due.fee, f.payout_amount, e.total - due.fee))
        or (e.purpose = 'expense' and (e.payout_amount > 0) <> (b.cancelled_by is not distinct from b.task_giver_id)))`,
  'open changes belong to work whose money is held or frozen': `
    select c.id from public.booking_changes c join public.payments m on m.booking_id = c.booking_id
    where c.state in ('proposed', 'accepted') and c.kind <> 'tip' and m.escrow_status not in ('held', 'frozen')`,
  'ratings are a recount of the reviews that are shown': `
    select p.id, p.rating, p.total_reviews, shown.* from public.profiles p, lateral (
      select coalesce(round(avg(r.rating), 2), 0) as average, count(*) as reviews from public.reviews r
      where r.reviewee_id = p.id and r.hidden_at is null and (r.visible_from <= now()
        or (select count(*) from public.reviews both_sides where both_sides.booking_id = r.booking_id) = 2)) shown
    where p.rating <> shown.average or p.total_reviews <> shown.reviews`,
  'jobs done are a recount of what was paid out': `
    select p.id, p.completed_tasks from public.profiles p
    where p.completed_tasks <> (select count(*) from public.bookings b join public.payments m on m.booking_id = b.id
      where b.task_doer_id = p.id and b.status = 'completed' and m.escrow_status in ('released', 'refunded')
        and m.payout_amount > 0)`,
  'records are what the events say': `
    select p.full_name from public.profiles p, private.reputation(p.id) r
    where (p.rating, p.total_reviews, p.completed_tasks, p.response_rate, p.on_time_rate, p.trust_score)
      is distinct from (r.rating, r.total_reviews, r.completed_tasks, r.response_rate, r.on_time_rate, r.trust_score)`,
}

/** Every breach of every rule: the rule's name and the rows that break it. */
export async function brokenRules(db: TestDatabase): Promise<{ rule: string; broken: unknown[] }[]> {
  const breaches = []
  for (const [rule, query] of Object.entries(rules)) {
    const { rows: broken } = await owner(db)(query)
    if (broken.length > 0) breaches.push({ rule, broken })
  }
  return breaches
}
