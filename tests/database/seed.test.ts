// The demo: breaks no rule, shows every state, and the sandbox knows of every dollar in it.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { reconcile, sandboxObjects } from '../../scripts/reconcile.mjs'
import { categories } from '../../shared/categories.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { owner } from './personas.ts'
import { brokenRules } from './rules.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await createTestDatabase()
  await runSeeds()
})
afterAll(() => db?.drop())

const seeds = ['people', 'jobs', 'test-payments'].map((name) =>
  readFileSync(new URL(`../../supabase/seeds/${name}.sql`, import.meta.url), 'utf8'),
)

/** Runs the seeds as the server does: as the migrations' role, each in a transaction. */
async function runSeeds(): Promise<void> {
  for (const seed of seeds) {
    await db.database.transaction(async (client) => {
      await client.query('set local role postgres')
      await client.query(seed)
    })
  }
}

const column = async (sql: string): Promise<unknown[]> =>
  (await owner(db)({ text: sql, rowMode: 'array' } as never)).rows.map((row) => row[0])

it('breaks no rule', async () => {
  expect(await brokenRules(db)).toEqual([])
})

it('has the cast, signed up and confirmed', async () => {
  expect(
    await column(
      `select u.email || ' ' || p.role from auth.users u join auth.identities i on i.user_id = u.id
       join public.profiles p on p.id = u.id
       where u.email_confirmed_at is not null and u.email ~ '^(grace|theo|ada|sam)@'
         and u.encrypted_password = extensions.crypt('Meadowlark1', u.encrypted_password) order by 1`,
    ),
  ).toEqual([
    'ada@example.com admin',
    'grace@example.com task_giver',
    'sam@example.com task_giver',
    'theo@example.com task_doer',
  ])
})

it('has a dozen verified taskers across the province, and thirty open tasks of every kind', async () => {
  const towns = await column(`select distinct city from public.profiles where is_verified and rating > 0`)
  expect(towns.length).toBeGreaterThanOrEqual(12)
  expect(await column(`select name from public.places where kind <> 'neighbourhood'`)).toEqual(
    expect.arrayContaining(towns),
  )
  expect((await column(`select id from public.tasks where status = 'open'`)).length).toBeGreaterThanOrEqual(
    30,
  )
  expect(await column(`select distinct category from public.tasks where status = 'open' order by 1`)).toEqual(
    [...categories].sort(),
  )
})

/** Impossible orders of events; each query lists breaches. */
const times: Record<string, string> = {
  'a booking goes forward': `
    select b.id, b.status from public.bookings b join public.tasks t on t.id = b.task_id
      left join public.payments p on p.booking_id = b.id left join public.reviews r on r.booking_id = b.id
    where exists (select from unnest(array[t.created_at, b.created_at, b.answered_at, b.started_at, b.completed_at,
          b.cancelled_at, p.released_at, r.created_at, now()]) with ordinality early (at, nth)
        join unnest(array[t.created_at, b.created_at, b.answered_at, b.started_at, b.completed_at,
          b.cancelled_at, p.released_at, r.created_at, now()]) with ordinality late (at, nth)
        on early.nth < late.nth and early.at > late.at)`,
  'work is done when it takes place, and within the time that counts as punctual': `
    select b.id from public.bookings b join public.tasks t on t.id = b.task_id where b.status = 'completed'
      and (b.completed_at < t.scheduled_date
        or b.completed_at > t.scheduled_date + make_interval(mins => t.duration_minutes) + interval '2 hours')`,
  'money is held when the work may start, and refunded when it was cancelled': `
    select p.id from public.payments p join public.bookings b on b.id = p.booking_id
    where p.held_at <> b.started_at or p.refunded_at <> b.cancelled_at`,
  'the books say when': `
    select e.id from public.ledger_entries e join public.payments p on p.id = e.payment_id
    where e.created_at <> case e.kind when 'charge' then p.held_at else coalesce(p.released_at, p.refunded_at) end`,
  'somebody is booked for when the task takes place': `
    select b.id from public.bookings b join public.tasks t on t.id = b.task_id
    where b.period <> private.task_period(t)`,
  'news are not from the future': `select id from public.notifications where created_at > now()`,
}

it('keeps every rule, also those of time, at whatever hour it is run', async () => {
  const empty = await createTestDatabase()
  const client = await empty.database.pool.connect()
  const inTransaction = { ...empty, database: { ...empty.database, pool: client } } as unknown as TestDatabase
  try {
    for (const zone of ['+9', '+1', '-7']) {
      // Another place's clock is this place's other hour.
      const elsewhere = seeds.join('\n').replaceAll(`'America/Regina'`, `'Etc/GMT${zone}'`)
      await client.query('begin')
      await client.query('set local role postgres')
      await client.query(elsewhere)
      await client.query('reset role')
      expect([zone, await brokenRules(inTransaction)]).toEqual([zone, []])
      for (const [rule, query] of Object.entries(times))
        expect([zone, rule, (await client.query(query)).rows]).toEqual([zone, rule, []])
      await client.query('rollback')
    }
  } finally {
    client.release()
    await empty.drop()
  }
})

it('shows Grace and Theo a booking in every state', async () => {
  expect(
    await column(
      `select distinct concat_ws(' ', b.status, p.escrow_status) from public.bookings b
       join public.profiles g on g.id = b.task_giver_id and g.email = 'grace@example.com'
       join public.profiles t on t.id = b.task_doer_id and t.email = 'theo@example.com'
       left join public.payments p on p.booking_id = b.id order by 1`,
    ),
  ).toEqual([
    'accepted',
    'cancelled',
    'cancelled refunded',
    'completed held',
    'completed released',
    'in_progress held',
    'pending',
    'rejected',
  ])
})

it('has something for an administrator to decide on every page', async () => {
  expect(
    await column(
      `select verification_status from public.verifications where verification_status = 'pending'`,
    ),
  ).toHaveLength(1)
  expect(await column('select answer is not null from public.complaints where decision is null')).toEqual([
    true,
  ])
  // Decided as anyone would have: by Ada, on the money that was frozen.
  expect(
    await column(
      `select concat_ws(' ', c.decision, c.returned_amount, split_part(a.email, '@', 1), p.escrow_status, p.payout_status, p.refund_status)
       from public.complaints c join public.profiles a on a.id = c.decided_by join public.payments p on p.id = c.payment_id`,
    ),
  ).toEqual(['split 60.00 ada refunded sent sent'])
  expect(await column(`select kind from public.reports where status = 'open'`)).toEqual(['task'])
})

it('is in the sandbox to the cent, and leaves nothing to send', async () => {
  const cents = async (sql: string) => Number((await column(sql))[0])
  const booked = (kind: string) =>
    cents(
      `select coalesce(sum(abs(amount)) * 100, 0) from public.ledger_entries where kind = '${kind}' and account = 'provider'`,
    )
  const sandbox = (object: string) =>
    cents(
      `select coalesce(sum((data ->> 'amount')::bigint), 0) from sandbox.stripe_objects where object = '${object}'`,
    )
  expect(await sandbox('charge')).toBe(await booked('charge'))
  expect(await sandbox('transfer')).toBe(await booked('payout'))
  expect(await sandbox('refund')).toBe(await booked('refund'))
  expect(await column(`select distinct message ->> 'function' from pgmq.q_effects`)).toEqual([
    'run-scheduled',
  ])
})

it('reconciles, and a difference of a cent is named', async () => {
  const { pool } = db.database
  expect((await reconcile(pool, sandboxObjects(pool))).differences).toEqual([])
  const [charge, transfer, refund] = ['charge', 'transfer', 'refund'].map(
    (object) =>
      `update sandbox.stripe_objects set data = jsonb_set(data, '{amount}', to_jsonb((data ->> 'amount')::bigint + 1))
       where id = (select min(id) from sandbox.stripe_objects where object = '${object}')`,
  )
  for (const change of [charge, transfer, refund]) await owner(db)(change as string)
  await owner(db)(
    `insert into sandbox.stripe_objects (id, object, data)
     values ('re_stray', 'refund', '{"id": "re_stray", "object": "refund", "amount": 100, "status": "succeeded"}')`,
  )
  const { differences } = await reconcile(pool, sandboxObjects(pool))
  expect(differences).toHaveLength(4)
  expect(differences).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^payment \S+: charged \$\d+\.\d\d here, \$\d+\.\d\d at the provider$/),
      expect.stringMatching(/^payment \S+: paid out \$\d+\.\d\d here, \$\d+\.\d\d at the provider$/),
      expect.stringMatching(/^payment \S+: refunded \$\d+\.\d\d here, \$\d+\.\d\d at the provider$/),
      're_stray: $1.00 belong to no payment here',
    ]),
  )
})

it('has figures over time: money that was released in more than one week', async () => {
  const weeks = await column(
    `select starts_on from private.figures where period = 'week' and kind = 'released' and amount > 0`,
  )
  expect(weeks.length).toBeGreaterThan(2)
})
