// Quick reads of several people in one batch: a transaction each, one Sync for all. Whatever one of them sets, fails at
// or waits for stays its own. Straight on the batching, where it can be chosen what goes together.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Batching, openBatching } from '../../src/sql/batching/batching.ts'
import { requestUrl } from '../../src/sql/database.ts'
import { isUnavailable } from '../../src/sql/errors.ts'
import { type LatencyEstimate, newLatency } from '../../src/sql/latency.ts'
import type { Statement } from '../../src/sql/pipeline.ts'
import { identity } from '../../src/sql/roles.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await createTestDatabase()
  await db.database.pool.query(`
    create table public.things (id int primary key, owner text);
    insert into public.things select n, 'person ' || n from generate_series(1, 20) n;
    alter table public.things enable row level security;
    create policy own on public.things for select
      using (owner = current_setting('request.jwt.claims', true)::json ->> 'sub');
    grant select on public.things to anon, authenticated;
    create function public.meddle() returns text language plpgsql as $$ begin
      perform set_config('request.jwt.claims', '{"sub": "person 20"}', true);
      perform set_config('search_path', 'pg_temp', true);
      perform set_config('timezone', 'Asia/Tokyo', true);
      perform set_config('default_transaction_isolation', 'serializable', true);
      perform set_config('app.mark', 'left behind', true);
      set local statement_timeout = 1;
      set local role none;
      return 'done'; end $$;
    create function public.nap(seconds float) returns text language plpgsql stable as $$ begin
      perform pg_sleep(seconds); return 'slept'; end $$;
    create function public.transaction() returns text language sql stable as $$
      select virtualtransaction from pg_locks where pid = pg_backend_pid() and locktype = 'virtualxid' $$`)
})
afterAll(() => db?.drop())

let batching: Batching
afterEach(() => batching?.end())

/** One connection is shared: of the others as many are left to what has to be alone. */
function open(url = requestUrl(db.url)): Batching {
  batching = openBatching(url, { max: 6, apart: 5, name: 'batches' })
  return batching
}

function asked(text: string, { sub = 'person 1', role = 'authenticated', values = [] as string[] } = {}) {
  const claims = JSON.stringify({ sub, role })
  return [
    identity(role, { search_path: 'public, extensions', 'request.jwt.claims': claims }, true),
    { text, values },
  ] as const
}

/** A kind of read that is known to be quick. */
async function quickKind(...samples: (readonly Statement[])[]): Promise<LatencyEstimate> {
  const latency = newLatency()
  for (let n = 0; n < 3; n++) for (const sample of samples) await batching.run(sample, latency)
  for (let n = latency.samples; n < 8; n++) await batching.run(samples[0] as readonly Statement[], latency)
  // Whatever a busy machine made of it.
  return Object.assign(latency, { ms: 0.1, samples: 8, failedAt: Number.NEGATIVE_INFINITY })
}

const NAP = 'select public.nap($1::float)'
const nap = (seconds: number) => asked(NAP, { values: [String(seconds)] })
const STATE = `select current_user, current_setting('request.jwt.claims')::json ->> 'sub',
  current_setting('search_path'), current_setting('timezone'), current_setting('transaction_isolation'),
  current_setting('transaction_read_only'), current_setting('statement_timeout'), coalesce(current_setting('app.mark', true), ''),
  (select string_agg(owner, ',') from public.things)`
const last = (rows: unknown[][][]) => rows.at(-1)?.[0]

test('answers of a batch come together, each from its own transaction', async () => {
  open()
  const which = asked('select public.transaction(), pg_backend_pid()::text')
  const [quick, napping] = [await quickKind(which), await quickKind(nap(0))]
  // On a busy machine a batch may be taken for stuck and sent apart.
  for (let attempt = 1; ; attempt++) {
    const order: string[] = []
    const answers = ['first', 'second', 'nap', 'last'].map(async (name) => {
      const rows = await (name === 'nap' ? batching.run(nap(0.02), napping) : batching.run(which, quick))
      order.push(name)
      return rows
    })
    await answers[0]
    await new Promise(setImmediate)
    const together = order.join() === 'first,second,nap,last'
    const [first, second, , fourth] = (await Promise.all(answers)).map(last) as string[][]
    expect(new Set([first, second, fourth].map((row) => row?.join())).size).toBe(3)
    if (together && first?.[1] === fourth?.[1]) break
    expect(attempt).toBeLessThan(10)
  }
})

test('nothing that one sets for its transaction reaches the next', async () => {
  open()
  const meddling = asked('select public.meddle()', { sub: 'person 7' })
  const looking = (sub: string, role?: string) => asked(STATE, { sub, ...(role ? { role } : {}) })
  const [meddle, look] = [await quickKind(meddling), await quickKind(looking('person 1'))]
  const before = last(await batching.run(looking('person 3'), look)) as string[]
  expect(before.slice(0, 3)).toEqual(['authenticated', 'person 3', 'public, extensions'])
  const rest = before.slice(2, -1)
  expect(rest.slice(2, 4).concat(rest.at(-1) ?? '')).toEqual(['read committed', 'on', ''])
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all([
      batching.run(looking('person 2', 'anon'), look),
      batching.run(meddling, meddle),
      batching.run(looking('person 3'), look),
      batching.run(meddling, meddle),
      batching.run(looking('nobody', 'anon'), look),
    ])
    const [two, , three, , nobody] = answers.map(last)
    expect(three).toEqual(before)
    expect(two).toEqual(['anon', 'person 2', ...rest, 'person 2'])
    expect(nobody).toEqual(['anon', 'nobody', ...rest, null])
  }
})

test('one that fails takes nobody along, and its kind is kept out of batches for a while', async () => {
  open()
  const divide = (by: number) => asked('select (10 / $1::int)::text', { values: [String(by)] })
  const [division, napping] = [await quickKind(divide(1)), await quickKind(nap(0))]
  const outcomes = await Promise.allSettled(
    [1, 2, 0, 5, 0, 10].map((by) => batching.run(divide(by), division)),
  )
  expect(
    outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? last(outcome.value)?.[0] : outcome.reason.code,
    ),
  ).toEqual(['10', '5', '22012', '2', '22012', '1'])
  const order: string[] = []
  await Promise.all([
    batching.run(nap(0.03), napping).then(() => order.push('nap')),
    batching.run(divide(0), division).catch((error) => order.push(error.code)),
  ])
  expect(order).toEqual(['22012', 'nap'])
  // The failed query left no transaction open.
  const { rows } = await db.database.pool.query(
    `select state from pg_stat_activity where application_name = 'batches' and datname = current_database()`,
  )
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['idle']))
})

test('statements that a change of the schema made stale in the middle of a batch are prepared anew', async () => {
  open()
  const all = asked('select t.* from public.things t', { sub: 'person 4' })
  const other = asked('select 1')
  const [kind, quick] = [await quickKind(all), await quickKind(other)]
  await db.database.pool.query(`alter table public.things add column later text default 'x'`)
  const answers = await Promise.all([
    batching.run(other, quick),
    ...Array.from({ length: 4 }, () => batching.run(all, kind)),
    batching.run(other, quick),
  ])
  expect(answers.map(last)).toEqual([['1'], ...Array(4).fill(['4', 'person 4', 'x']), ['1']])
})

test('a batch behind one that takes long is answered elsewhere', async () => {
  open()
  const quickly = asked('select 1')
  const [quick, napping] = [await quickKind(quickly), await quickKind(nap(0))]
  let slept = false
  const slow = batching.run(nap(3), napping).finally(() => {
    slept = true
  })
  const rest = await Promise.all(Array.from({ length: 3 }, () => batching.run(quickly, quick)))
  expect(rest.map(last)).toEqual([['1'], ['1'], ['1']])
  expect(slept).toBe(false)
  expect(last(await slow)).toEqual(['slept'])
})

test('a connection lost in the middle of a batch: errors that say so, and it works again', async () => {
  open()
  const quickly = asked('select 1')
  const [quick, napping] = [await quickKind(quickly), await quickKind(nap(0))]
  const outcomes = Promise.allSettled([
    batching.run(quickly, quick),
    // Ends with its connection.
    batching.run(nap(60), napping),
    batching.run(quickly, quick),
  ])
  await eventually(async () => {
    const { rowCount } = await db.database.pool.query(
      `select from pg_stat_activity
       where application_name = 'batches' and datname = current_database() and wait_event = 'PgSleep'`,
    )
    return rowCount === 1
  })
  let settled = false
  void outcomes.then(() => {
    settled = true
  })
  // Again, where what was stuck has been sent on another connection meanwhile.
  await eventually(async () => {
    // One that is cut after that is the connection of what is asked below.
    if (settled) return true
    await db.database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'batches' and datname = current_database()`,
    )
    return false
  })
  for (const outcome of await outcomes)
    if (outcome.status === 'rejected') expect(isUnavailable(outcome.reason)).toBe(true)
  expect((await outcomes).filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
  expect(last(await batching.run(quickly, quick))).toEqual(['1'])
})

test('defaults of a connection hold for each of a batch', async () => {
  const url = new URL(requestUrl(db.url))
  url.searchParams.set('options', '-c default_transaction_isolation=repeatable\\ read')
  open(url.href)
  const level = asked(`select current_setting('transaction_isolation')`)
  const kind = await quickKind(level)
  const answers = await Promise.all(Array.from({ length: 5 }, () => batching.run(level, kind)))
  expect(answers.map(last)).toEqual(Array(5).fill(['repeatable read']))
})
