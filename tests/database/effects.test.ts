// The queue of effects: one exists with the change that causes it, is handed out until somebody says that it is done, and is
// nobody's to read or write but the secret key's.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { as, asService, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()
const sql = async (text: string, values: unknown[] = []) => (await owner(db)(text, values)).rows
const service = async (text: string, values: unknown[] = []) => (await asService(db)(text, values)).rows

beforeEach(async () => {
  await sql('delete from pgmq.q_effects')
  await sql('delete from private.failed_effects')
})

const enqueue = (name: string, key: string | null = null, at: string | null = null) =>
  sql(`select private.enqueue_function($1, '{"n":1}', $2, now() + $3::interval)`, [name, key, at])
const begin = (most = 10) => service('select * from public.begin_effects($1)', [most])
const names = (effects: Record<string, unknown>[]) => effects.map((effect) => effect.function_name)
const fail = (id: unknown, reason = 'release-payout answered 502: away') =>
  service('select public.fail_effect($1, $2)', [id, reason])
const pass = (time: string) => sql('update pgmq.q_effects set vt = vt - $1::interval', [time])
const messages = () => sql('select * from pgmq.q_effects order by msg_id')

describe('an effect', () => {
  it('exists if the change that causes it does, and is handed out once, the oldest first', async () => {
    await sql(`begin; select private.enqueue_function('a', '{}'); rollback`)
    await enqueue('b')
    await enqueue('c')
    const [first, second] = await begin()
    expect([first, second]).toMatchObject([
      { function_name: 'b', body: { n: 1 }, attempt: 1 },
      { function_name: 'c', attempt: 1 },
    ])
    expect(await begin()).toEqual([])
    await service('select public.finish_effect($1)', [first?.id])
    await service('select public.finish_effect($1)', [first?.id])
    expect((await messages()).map(({ msg_id }) => msg_id)).toEqual([second?.id])
  })

  it('waits for its time', async () => {
    await enqueue('later', null, '3 days')
    expect(await begin()).toEqual([])
    await pass('3 days')
    expect(names(await begin())).toEqual(['later'])
  })

  it('is replaced by a later one with its key, not once it was begun', async () => {
    await enqueue('first', 'key', '1 hour')
    await enqueue('second', 'key')
    await enqueue('other', 'another key', '1 hour')
    expect(names(await begin())).toEqual(['second'])
    await enqueue('third', 'key')
    expect(names(await begin())).toEqual(['third'])
    expect(await messages()).toHaveLength(3)
  })

  it('with a key waits for no other transaction: each leaves its own', async () => {
    const other = await db.database.pool.connect()
    try {
      await enqueue('before', 'key', '1 hour')
      await other.query(`begin; select private.enqueue_function('one', '{}', 'key')`)
      await enqueue('two', 'key')
      await other.query('commit')
    } finally {
      other.release()
    }
    expect(names(await begin()).sort()).toEqual(['one', 'two'])
  })
})

describe('one that is taken', () => {
  it('is handed out again when nobody reports on it, as after a kill, unless it is extended', async () => {
    await enqueue('a')
    await enqueue('b')
    const [, kept] = await begin()
    await pass('14 seconds')
    expect(await begin()).toEqual([])
    await service('select public.keep_effects($1)', [[kept?.id]])
    await pass('1 second')
    expect(await begin()).toMatchObject([{ function_name: 'a', attempt: 2 }])
  })

  it('and fails is tried again after growing pauses, and given up after its last try', async () => {
    await enqueue('release-payout')
    const pauses: number[] = []
    for (let tries = 1; tries <= 25; tries++) {
      const [effect] = await begin()
      expect(effect).toMatchObject({ attempt: tries })
      await fail(effect?.id)
      const [waiting] = await sql(
        'select ceil(extract(epoch from vt - clock_timestamp()))::int as pause from pgmq.q_effects',
      )
      if (waiting) pauses.push(waiting.pause as number)
      await pass('1 day')
    }
    // Read a moment after each was set: on a busy machine seconds of it have passed.
    const set = [3, 7, 20, 55, 148, 403, 1097, 2981, 8103, 22026, 22026, 22026]
    for (const [nth, pause] of set.entries()) {
      expect(pauses[nth]).toBeLessThanOrEqual(pause)
      expect(pauses[nth]).toBeGreaterThan(pause / 3)
    }
    expect(pauses).toHaveLength(24)
    expect(await begin()).toEqual([])
    expect(await sql('select message from pgmq.a_effects')).toMatchObject([
      { message: { function: 'release-payout', body: { n: 1 } } },
    ])
    expect(await sql('select error, given_up_at is not null as over from private.failed_effects')).toEqual([
      { error: 'release-payout answered 502: away', over: true },
    ])
  })

  it('and ends its worker each time is given up, too', async () => {
    await enqueue('deadly')
    for (let tries = 1; tries <= 25; tries++) {
      expect(names(await begin())).toEqual(['deadly'])
      await pass('1 day')
    }
    expect(await begin()).toEqual([])
    expect(await messages()).toEqual([])
    expect(await sql('select error from private.failed_effects')).toEqual([
      { error: 'It ended without an answer' },
    ])
  })

  it('and is done at last leaves nothing', async () => {
    await enqueue('a')
    const [effect] = await begin()
    await fail(effect?.id)
    await service('select public.finish_effect($1)', [effect?.id])
    // Somebody else who had it, too.
    await fail(effect?.id)
    expect([await messages(), await sql('select * from private.failed_effects')]).toEqual([[], []])
  })
})

describe('run-effects is called', () => {
  beforeAll(async () => {
    await sql(`select vault.create_secret('http://kong:8000/functions/v1', 'supabase_functions_url')`)
    await sql(`select vault.create_secret('sb_secret_test', 'supabase_service_role_key')`)
  })
  afterEach(() => sql('delete from net.http_request_queue'))
  const calls = () => sql('select url, method, headers from net.http_request_queue')

  it('once a transaction, with the key, when something is due now', async () => {
    await sql(
      `begin; select private.enqueue_function('a', '{}'); select private.enqueue_function('b', '{}'); commit`,
    )
    expect(await calls()).toEqual([
      {
        url: 'http://kong:8000/functions/v1/run-effects',
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: 'Bearer sb_secret_test' },
      },
    ])
    await enqueue('c')
    expect(await calls()).toHaveLength(2)
  })

  it('not for what is due later, until the clock finds it due', async () => {
    await enqueue('later', null, '1 hour')
    await sql('select private.tick_effects()')
    expect(await calls()).toEqual([])
    await pass('1 hour')
    await sql('select private.tick_effects()')
    expect(await calls()).toHaveLength(1)
    const clock = await sql(`select schedule, username, active from cron.job where jobname = 'effects'`)
    expect(clock).toEqual([{ schedule: '5 seconds', username: 'postgres', active: true }])
  })

  it('and where that fails the change is kept all the same', async () => {
    await sql('alter table net.http_request_queue add constraint full_up check (false) not valid')
    try {
      await enqueue('a')
    } finally {
      await sql('alter table net.http_request_queue drop constraint full_up')
    }
    expect(names(await begin())).toEqual(['a'])
  })
})

it.each(['ada', 'grace', 'anonymous'])('%s can neither read nor write the queue', async (person) => {
  for (const statement of [
    'select * from pgmq.q_effects',
    'select * from pgmq.a_effects',
    'select * from private.failed_effects',
    `select pgmq.send('effects', '{}')`,
    `select * from pgmq.read('effects', 1, 1)`,
    `select private.enqueue_function('a', '{}')`,
    'select private.call_run_effects_once()',
    'select * from public.begin_effects(1)',
    `select public.fail_effect(1, '')`,
    'select public.finish_effect(1)',
    `select public.keep_effects('{1}')`,
    'select * from vault.decrypted_secrets',
  ]) {
    await expect(as(db, person)(statement), statement).rejects.toThrow(/permission denied/)
  }
})

describe('an admin', () => {
  const list = async (givenUp: boolean, person = 'ada') =>
    (await as(db, person)('select * from public.find_failed_effects($1)', [givenUp])).rows
  const retry = (id: unknown, person = 'ada') => as(db, person)('select public.retry_effect($1)', [id])
  const waiting = async () =>
    (await as(db, 'ada')(`select count::int from public.admin_overview() where kind = 'failed_effects'`))
      .rows[0].count

  it('sees what failed and what was given up, and tries either again', async () => {
    await sql(
      `select private.enqueue_function('release-payout', jsonb_build_object('payment_id', $1::uuid))`,
      [cast.grace],
    )
    await sql(`select private.enqueue_function('erase-account', jsonb_build_object('person', $1::uuid))`, [
      cast.theo,
    ])
    for (const { id } of await begin()) await fail(id, 'It answered 502: away')
    expect(await list(false)).toMatchObject([
      { function_name: 'erase-account', person_id: cast.theo, payment_id: null, tries: 1 },
      {
        function_name: 'release-payout',
        person_id: null,
        payment_id: cast.grace,
        error: 'It answered 502: away',
      },
    ])
    expect([await list(true), await waiting()]).toEqual([[], 0])
    const [erasing, paying] = await list(false)
    expect(await begin()).toEqual([])
    await retry(paying.id)
    expect(await begin()).toMatchObject([{ id: paying.id, attempt: 2 }])

    await sql('update pgmq.q_effects set read_ct = 25')
    for (const { id } of [erasing, paying]) await fail(id)
    expect((await list(true)).map(({ next_try_at }) => next_try_at)).toEqual([null, null])
    expect([await list(false), await waiting()]).toEqual([[], 2])
    await retry(erasing.id)
    await retry(erasing.id)
    expect(await begin()).toMatchObject([
      { function_name: 'erase-account', body: { person: cast.theo }, attempt: 1 },
    ])
    expect([(await list(true)).length, await waiting()]).toEqual([1, 1])
    await sql('delete from pgmq.a_effects')
  })

  it.each(['grace', 'anonymous'])('is needed for that: %s is refused', async (person) => {
    await expect(list(true, person)).rejects.toThrow(/^Only admins|permission denied/)
    await expect(retry(1, person)).rejects.toThrow(/^Only admins|permission denied/)
  })
})
