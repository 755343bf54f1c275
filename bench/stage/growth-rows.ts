// The rows over which growth is measured: a town that grows with its tasks, and one tasker and one giver who do not.

import type { Stage } from '../../packages/server/bench/stage/stage.ts'
import { makeDatabase } from './tasks.ts'

export const THEO = '00000000-0000-4000-8000-00000000000b'
export const GRACE = '00000000-0000-4000-8000-00000000000a'
export const ADA = '00000000-0000-4000-8000-00000000000c'

/** One open task in so many holds the word; the other words of its text are common. */
export const words = {
  common: 'snow',
  everyTwoThousandth: 'zamboni',
  twenty: 'harpsichord',
  none: 'xylophone',
}

/** Without triggers and keys: a million rows are made by hand, not by people. */
export const QUICKLY = 'set session_replication_role = replica;'

export const people = (count: number) => `${QUICKLY}
insert into private.profiles (id, full_name, email, role, id_verified, rating, total_reviews, hourly_rate, skills, bio, preferred_categories, created_at)
select md5('person ' || n)::uuid, 'Person ' || md5(n::text), 'person' || n || '@example.com', case when n % 2 = 0 then 'task_doer' else 'task_giver' end::public.app_role,
  n % 2 = 0, round((n * 7919::bigint % 500) / 100.0, 2), n % 40, 20 + n % 60, array['Drywall', 'skill' || n % 500],
  'Twenty years of ' || md5((n % 1000)::text) || case when n = 20 then ' and harpsichords' else '' end, '{}',
  now() - random() * interval '80 days'
from generate_series(1, ${count}) n;
insert into private.profiles (id, full_name, role, id_verified, skills, preferred_categories) values
  ('${THEO}', 'Theo', 'task_doer', true, '{Drywall,Piano,skill7}', '{Moving}'),
  ('${GRACE}', 'Grace', 'task_giver', false, '{}', '{}'), ('${ADA}', 'Ada', 'admin', false, '{}', '{}');
insert into public.travel_areas (user_id, place_id, latitude, longitude)
select '${THEO}', id, latitude, longitude from public.places where id = 'saskatoon';
insert into public.user_roles (user_id, role) select id, role from private.profiles;
update private.profiles set roles = array[role];
insert into public.verifications (user_id, legal_name, date_of_birth, id_type, verification_status, terms_accepted_at, decided_at, updated_at)
select id, full_name, '2000-01-01', 'passport', status, at, case when status = 'verified' then at + random() * interval '72 hours' end, at
from (select id, full_name, now() - interval '4 days' - random() * interval '80 days' as at, case when row_number() over (order by id) % 500 = 0
  then 'pending' else 'verified' end::public.verification_status as status from private.profiles where role = 'task_doer') v;`

/**
 * A thousand spots, each with as many tasks. The first 400 are four cities, of which tasks without an exact point share a cell.
 * The next 400 are the cells of these cities. The others are other places, half of them neighbourhoods.
 */
const SPOTS = `
create temp table spots as
with located as (
  select p.*, c.latitude as north, c.longitude as east, p.id in ('saskatoon', 'regina', 'prince-albert', 'moose-jaw') as is_city
  from public.places p cross join lateral private.public_point(p.latitude, p.longitude) c
), cells as (
  select p.id, p.name, c.*, row_number() over (partition by p.id) as nth, count(*) over (partition by p.id) as cells
  from located p cross join lateral private.cells_near(p.latitude, p.longitude, sqrt(p.population) / 100) c where p.is_city
)
select row_number() over () as spot, s.* from (
  select id as place_id, name as location, north, east from located cross join generate_series(1, 100) where is_city
  union all
  select id, name, latitude, longitude from cells join generate_series(1, 100) n on nth = 1 + n % cells
  union all
  (select id, concat_ws(', ', name, city), north, east from located where not is_city order by population desc nulls last, id limit 200)
) s;`

const openTasks = (count: number) => `${QUICKLY}${SPOTS}
insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, scheduled_date, created_at,
  place_id, public_latitude, public_longitude)
select case when n % 250 = 3 and n <= 10000 then '${GRACE}' else md5('person ' || 1 + 2 * (n % 500))::uuid end,
  'Task ' || n || ' ' || (array['snow','paint','fence','piano','drywall','carry','mend','hang','shelf','walk'])[1 + (random() * 9.99)::int % 10],
  (select string_agg('word' || (power(random(), 3) * 5000)::int, ' ') from generate_series(1, 15) where n > 0)
    || case when n % 2000 = 7 then ' ${words.everyTwoThousandth}' else '' end
    || case when n <= 10000 and n % 500 = 9 then ' ${words.twenty}' else '' end,
  (array['Snow Removal', 'Cleaning', 'Moving', 'Delivery', 'Handyman', 'Gardening', 'Pet Care', 'Other'])[1 + (random() * 7.99)::int % 8],
  location, 25 + (random() * 900)::int, now() + random() * interval '60 days', now() - n * interval '3 seconds',
  place_id, north, east
from (select n, 1 + floor(random() * 1000) as spot from generate_series(1, ${count}) n) tasks join spots using (spot);`

/**
 * A tenth as many jobs as open tasks, each with five messages, a payment and its effects. One of 50 has a complaint,
 * one of 100 a chargeback or an abandoned effect; forty of them are Theo's and Grace's.
 */
const jobs = (count: number) => `${QUICKLY}
create temp table job as select n, md5('task ' || n)::uuid as task, md5('booking ' || n)::uuid as booking,
  case when n <= 40 then '${GRACE}' else md5('person ' || 1 + 2 * (n % 500))::uuid end as giver,
  case when n <= 40 then '${THEO}' else md5('person ' || 2 + 2 * (n % 500))::uuid end as tasker, now() - random() * interval '80 days' as at
from generate_series(1, ${count}) n;
insert into public.tasks (id, task_giver_id, title, description, category, location, pay_amount, status, created_at)
select task, giver, 'Job ' || n, 'Something that is done by now, or nearly.', 'Cleaning', 'Regina', 50, 'assigned', at from job;
insert into public.bookings (id, task_id, task_doer_id, task_giver_id, agreed_amount, status, created_at, accepted_at)
select booking, task, tasker, giver, 50, case when n <= 20 then 'accepted' else 'completed' end::public.booking_status, at, at from job;
insert into public.messages (booking_id, sender_id, receiver_id, message, created_at, read_at)
select booking, giver, tasker, 'Message ' || m, now() - m * interval '1 minute', case when m > 2 then now() end
from job, generate_series(1, 5) m;
insert into public.payments (booking_id, task_id, payer_id, payee_id, amount, platform_fee, gst, total, payout_amount,
  escrow_status, payout_status, created_at)
select booking, task, giver, tasker, 50, 7.5, 2.5, 60, 40, 'released', case when n % 5000 = 7 then 'failed' else 'sent'
  end::public.transfer_status, now() - n * interval '1 minute' from job;
insert into public.audit_log (actor_id, actor_role, table_name, row_id, action, new_values, by_admin, subject_ids)
select giver, 'authenticated', 'payments', booking, 'insert', '{}', n % 100 = 0, array[giver, tasker] from job;
insert into public.reviews (booking_id, task_id, reviewer_id, reviewee_id, rating, comment, announced, created_at)
select booking, task, giver, tasker, 1 + n % 5, 'On time, and tidy', true, now() - n * interval '1 minute' from job where n > 20;
insert into public.notifications (user_id, key, title, message, read, created_at)
select person, 'booking_accepted', 'Accepted', 'Job ' || n, n % 3 > 0, now() - n * interval '1 minute'
from job, lateral (values (giver), (tasker)) p (person);
insert into public.receipts (kind, payment_id, person_id, issuer, task_title, basis, amount, platform_fee, gst,
  platform_fee_percent, gst_percent, total, currency, issued_at)
select 'statement', p.id, p.payee_id, '{}', 'Job', 'task', 50, 7.5, 2.5, 15, 5, 40, 'CAD', p.created_at from public.payments p;
insert into public.receipts (kind, payment_id, person_id, issuer, task_title, basis, amount, platform_fee, gst,
  platform_fee_percent, gst_percent, total, currency, issued_at)
select 'receipt', p.id, p.payer_id, '{}', 'Job', 'task', 50, 7.5, 2.5, 15, 5, 60, 'CAD', p.created_at from public.payments p;
insert into public.ledger_entries (transaction_id, payment_id, kind, account, amount, created_at)
select gen_random_uuid(), p.id, e.kind, e.account::public.ledger_account, e.amount, p.created_at from public.payments p, (values
  ('charge', 'provider', 60), ('charge', 'escrow', -60), ('release', 'escrow', 60), ('release', 'tasker', -40),
  ('release', 'platform_fees', -15), ('release', 'gst', -5)) e (kind, account, amount);
insert into public.payouts (id, user_id, amount, currency, status, created_at)
select 'po_' || n, tasker, 40, 'CAD', 'paid', now() - n * interval '1 minute' from job;
insert into public.favourites (user_id, tasker_id)
select distinct giver, tasker from job;
insert into public.complaints (booking_id, payment_id, giver_id, tasker_id, reason, decision, decided_at, created_at)
select p.booking_id, p.id, p.payer_id, p.payee_id, 'Half of it is still there.', case when j.n % 1000 > 0 then 'release'::public.complaint_decision end,
  case when j.n % 1000 > 0 then now() - j.n * interval '1 minute' end, now() - j.n * interval '2 minutes'
from job j join public.payments p on p.booking_id = j.booking where j.n % 50 = 0;
insert into public.disputes (id, payment_id, amount, status, status_at, created_at)
select 'du_' || j.n, p.id, 60, case when j.n % 1000 = 0 then 'needs_response' else 'won' end, now(), now() - j.n * interval '1 minute'
from job j join public.payments p on p.booking_id = j.booking where j.n % 100 = 0;
insert into pgmq.a_effects (msg_id, read_ct, enqueued_at, vt, message)
select n, 25, at, at, '{"function":"send-push","body":{}}' from job where n % 100 = 0;
insert into pgmq.q_effects (msg_id, read_ct, enqueued_at, vt, message) overriding system value
select n, 3, at, now() + interval '1 hour', '{"function":"send-push","body":{}}' from job where n <= 10;
select setval(pg_get_serial_sequence('pgmq.q_effects', 'msg_id'), ${count});
insert into private.failed_effects (id, error, failed_at, given_up_at)
select n, 'send-push answered 502', at, case when n > 10 then at end from job where n <= 10 or n % 100 = 0;
select private.rebuild_figures();
-- The rows that a minute adds if a task stays open for a week.
insert into private.figure_changes (happened_at, kind, amount) select now(), 'tasks', 1 from generate_series(1, ${count} / 1000);
insert into private.kind_changes (kind, amount) select 'Cleaning', amount from generate_series(1, ${count} / 1000), (values (1), (-1)) c (amount);`

/** Makes a database of `tasks` open tasks, with people, jobs and messages in proportion. */
export async function growTown(stage: Stage, database: string, tasks: number): Promise<void> {
  await makeDatabase(stage, database)
  await stage.sql(database, people(Math.max(1000, tasks / 10)))
  await stage.sql(database, openTasks(tasks))
  await stage.sql(database, jobs(tasks / 10))
  await stage.sql(database, 'vacuum analyze')
}
