// The queries whose growth is measured, as the app sends them and as the person who sends them; those near a point are in
// growth-near.ts.
import pg from 'pg'
import { ADA, GRACE, THEO, words } from './growth-rows.ts'

/** `by`: a person's id, `service` for the secret key, null for a stranger. `sql` can depend on the rows of the database. */
export type Asked = {
  name: string
  by: string | null
  sql: string | ((client: pg.Client) => Promise<string>)
}

export const questions: Asked[] = [
  ask(
    'browse, newest',
    null,
    `select * from public.tasks where status = 'open' order by created_at desc, id limit 24`,
  ),
  ask(
    'browse, one category',
    THEO,
    `select * from public.tasks where status = 'open' and category = 'Moving' order by created_at desc, id limit 24`,
  ),
  ask(
    'browse, best paid',
    null,
    `select * from public.tasks where status = 'open' order by pay_amount desc, created_at desc, id limit 24`,
  ),
  ask(
    'browse, soonest',
    null,
    `select * from public.tasks where status = 'open' order by scheduled_date, created_at desc, id limit 24`,
  ),
  ask('recommended', THEO, 'select * from public.recommended_tasks(max_results => 100)'),
  ask('search, a common word', null, search(words.common, 24)),
  ask('search, two common words', null, search(`${words.common} regina`, 24)),
  ask('search, a word of one task in 2,000', null, search(words.everyTwoThousandth, 24)),
  ask('search, a word of twenty tasks', null, search(words.twenty, 24)),
  ask('search, a word of none', null, search(words.none, 24)),
  ask('landing search, a common word', null, search(`"${words.common}"`, 5)),
  ask('landing search, a word of twenty tasks', null, search(`"${words.twenty}"`, 5)),
  ask(
    'dashboard, a giver’s own',
    GRACE,
    `select * from public.tasks where task_giver_id = '${GRACE}' order by created_at desc limit 5`,
  ),
  ask(
    'dashboard, open ones',
    THEO,
    `select * from public.tasks where status = 'open' order by created_at desc limit 5`,
  ),
  ask('find taskers', null, 'select * from public.find_taskers()'),
  ask('find taskers, one by name', null, `select * from public.find_taskers('harpsichord')`),
  ask(
    'conversations',
    THEO,
    `select * from public.conversations where status in ('accepted', 'in_progress')`,
  ),
  ask(
    'unread messages',
    THEO,
    `select count(*) from public.messages where receiver_id = '${THEO}' and read_at is null`,
  ),
  ask(
    'bookings of a tasker',
    THEO,
    `select b.*, giver.full_name from public.bookings b
    left join public.public_profiles giver on giver.id = b.task_giver_id
    where b.task_doer_id = '${THEO}' order by b.created_at desc`,
  ),
  ask('back office, people', ADA, 'select * from public.find_people()'),
  ask('back office, one person', ADA, `select * from public.find_people('person77@example.com')`),
  ask('back office, payments', ADA, 'select * from public.find_payments()'),
  ask('back office, stuck payouts', ADA, `select * from public.find_payments('payouts', 'stuck')`),
  ask('back office, payments of a person', ADA, `select * from public.find_payments(query => '${THEO}')`),
  ask('back office, people to verify', ADA, 'select * from public.find_people_to_verify()'),
  ask(
    'back office, one to verify',
    ADA,
    `select * from public.find_people_to_verify('person77@example.com')`,
  ),
  ask('back office, who waits', ADA, `select * from public.find_people_to_verify('', true)`),
  ask('back office, count of people', ADA, 'select count(*) from public.find_people(max_results => 100)'),
  ask('back office, overview', ADA, 'select * from public.admin_overview()'),
  ask('back office, open complaints', ADA, 'select * from public.find_complaints()'),
  ask('back office, decided complaints', ADA, `select * from public.find_complaints('', true)`),
  ask('back office, chargebacks', ADA, 'select * from public.find_disputes()'),
  ask('back office, chargebacks to answer', ADA, `select * from public.find_disputes('', 'to_answer')`),
  ask('back office, chargebacks of a person', ADA, `select * from public.find_disputes('${THEO}')`),
  ask('back office, reports', ADA, 'select * from public.find_reports()'),
  ask(
    'bell',
    THEO,
    `select * from public.notifications where user_id = '${THEO}' order by created_at desc, id limit 10`,
  ),
  ask(
    'bell, unread',
    THEO,
    `select count(*) from public.notifications where user_id = '${THEO}' and not read`,
  ),
  ask('what needs me', THEO, 'select * from public.my_action_items()'),
  ask(
    'chat, newest page',
    THEO,
    `select * from public.chat_messages where booking_id = md5('booking 7')::uuid order by created_at desc, id desc limit 30`,
  ),
  ask(
    'statements',
    THEO,
    `select r.*, p.payout_status from public.receipts r join public.payments p on p.id = r.payment_id
    where r.kind = 'statement' and r.person_id = '${THEO}' order by r.issued_at desc limit 24`,
  ),
  ask(
    'payouts',
    THEO,
    `select * from public.payouts where user_id = '${THEO}' order by created_at desc limit 24`,
  ),
  ask('earnings by month', THEO, 'select * from public.my_earnings_by_month()'),
  ask(
    'reviews of a profile',
    null,
    `select r.*, w.full_name from public.reviews r left join public.public_profiles w on w.id = r.reviewer_id
    where r.reviewee_id = '${THEO}' and r.visible_from <= now() order by r.created_at desc, r.id desc limit 10`,
  ),
  ask('a profile, to a stranger', null, `select * from public.public_profiles where id = '${GRACE}'`),
  ask('a profile, to a counterpart', THEO, `select * from public.public_profiles where id = '${GRACE}'`),
  ask('stars of a profile', null, `select * from public.review_counts('${THEO}')`),
  ask(
    'favourites',
    GRACE,
    `select p.* from public.favourites f join public.public_profiles p on p.id = f.tasker_id
    order by f.created_at desc, f.tasker_id limit 24`,
  ),
  ask('taskers, counted', null, 'select public.count_taskers()'),
  ask('tasks, counted', null, 'select public.count_tasks()'),
  ask(
    'tasks with their applications counted',
    null,
    `select t.*, public.applications_count(t) from public.tasks t where status = 'open' order by created_at desc, id limit 24`,
  ),
  ask(
    'newest on the landing page',
    null,
    `select * from public.tasks where status = 'open' order by created_at desc limit 4`,
  ),
  ask('kinds of tasks, counted', null, 'select * from public.task_kind_counts()'),
  ask('find taskers, narrowed', null, `select * from public.search_taskers('drywall', 24, max_rate => 60)`),
  ask(
    'receipts of a giver',
    GRACE,
    `select r.*, p.refund_amount from public.receipts r join public.payments p on p.id = r.payment_id
    where r.kind = 'receipt' and r.person_id = '${GRACE}' order by r.issued_at desc, r.id limit 10`,
  ),
  ask(
    'receipts of a giver, counted',
    GRACE,
    `select count(*) from public.receipts where kind = 'receipt' and person_id = '${GRACE}'`,
  ),
  ask('spent', GRACE, 'select public.my_spending()'),
  ask('earned', THEO, 'select public.my_earnings()'),
  ask(
    'what waits for a payout account',
    THEO,
    `select payout_amount from public.payments where payee_id = '${THEO}' and payout_status = 'waiting'`,
  ),
  ask('unread by booking', THEO, 'select * from public.unread_conversations'),
  ask(
    'posted tasks of a giver, with their applications',
    GRACE,
    `select t.*, (select count(*) from public.bookings b where b.task_id = t.id and b.status = 'pending')
    from public.tasks t where t.task_giver_id = '${GRACE}' and t.status in ('open', 'asked', 'cancelled')
    order by t.created_at desc, t.id`,
  ),
  ask(
    'applied to by a tasker',
    THEO,
    `select task_id from public.bookings where task_doer_id = '${THEO}' and status in ('pending', 'accepted', 'in_progress')`,
  ),
  ask(
    'applications of a task, counted',
    GRACE,
    `select count(*) from public.bookings where task_id = md5('task 7')::uuid and status = 'pending'`,
  ),
  ask('bell, all', THEO, `select count(*) from public.notifications where user_id = '${THEO}'`),
  ask('back office, figures by week', ADA, `select * from public.admin_figures('week')`),
  ask('back office, figures by month', ADA, `select * from public.admin_figures('month')`),
  ask('back office, balances', ADA, 'select * from public.money_balances()'),
  ask('back office, effects given up', ADA, 'select * from public.find_failed_effects()'),
  ask('back office, effects tried again', ADA, 'select * from public.find_failed_effects(false)'),
  ask('back office, refunds', ADA, `select * from public.find_payments('refunds')`),
  ask(
    'back office, verifications that wait',
    ADA,
    `select count(*) from public.verifications where verification_status = 'pending'`,
  ),
  ask(
    'back office, losses to decide',
    ADA,
    `select count(*) from public.payments where unsettled_loss > 0 and open_disputes = 0 and escrow_status = 'frozen'`,
  ),
  ask(
    'back office, tasks of a person',
    ADA,
    `select id, title from public.tasks where task_giver_id = '${GRACE}' order by created_at desc, id desc limit 10`,
  ),
  ask(
    'back office, bookings of a person',
    ADA,
    `select b.id, t.title from public.bookings b join public.tasks t on t.id = b.task_id
    where b.task_doer_id = '${THEO}' order by b.created_at desc, b.id desc limit 10`,
  ),
  ask(
    'back office, reviews of a person',
    ADA,
    `select id from public.reviews where reviewee_id = '${THEO}' order by created_at desc, id desc limit 10`,
  ),
  ask(
    'back office, reviews by a person',
    ADA,
    `select id from public.reviews where reviewer_id = '${GRACE}' order by created_at desc, id desc limit 10`,
  ),
  ask('back office, audit log', ADA, 'select * from public.find_audit_entries()'),
  ask('export of a person', 'service', `select public.data_of_person('${THEO}')`),
  ask(
    'back office, audit log of admins',
    ADA,
    'select * from public.find_audit_entries(admins_only => true)',
  ),
  ask(
    'back office, audit log of a person',
    ADA,
    `select * from public.find_audit_entries(person => '${THEO}')`,
  ),
]

export function ask(name: string, by: string | null, sql: Asked['sql']): Asked {
  return { name, by, sql }
}

function search(text: string, rows: number): string {
  return `select * from public.search_tasks(${pg.escapeLiteral(text)}, max_results => ${rows})`
}
