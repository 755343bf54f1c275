// One caller's work on the database does not crowd out the others': callers that ask for too much at once wait for
// themselves, and get an error that says so.

import type pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  head,
  type RawConnection,
  rawConnection,
} from '../../../packages/server/tests/server/raw-connection.ts'
import { makeAccount } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
const opened: RawConnection[] = []

beforeAll(async () => {
  server = await startTestServer()
  const grace = await makeAccount(server, 'grace')
  await server.database.pool.query(
    `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount)
     select $1, 'Shovel the walk of house ' || n, 'Front walk, steps and the path to the garage. About an hour.',
       'Snow Removal', 'Saskatoon', 50 from generate_series(1, 30) n`,
    [grace],
  )
  // Waits until the test lets it go on. Its own timeout is longer than a stranger's.
  await server.database.pool.query(`
    create function public.waits() returns void language sql set statement_timeout = '60s'
      as 'select pg_advisory_xact_lock_shared(17)';
    grant execute on function public.waits() to anon;
    notify pgrst, 'reload schema'`)
  await vi.waitUntil(async () => (await asked('GET', '/rest/v1/rpc/waits', '127.0.0.1')) === 204, 20_000)
})
afterAll(async () => {
  for (const { socket } of opened) socket.destroy()
  await server.stop()
})

const headers = () => ({ apikey: server.publishableKey })

/** A request that is sent and not waited for. */
async function begin(method: string, path: string, from: string): Promise<RawConnection> {
  const connection = await rawConnection(server.url, from)
  opened.push(connection)
  connection.send(head(method, path, headers()))
  return connection
}

async function asked(method: string, path: string, from: string): Promise<number> {
  const connection = await begin(method, path, from)
  const { status } = await connection.answer()
  connection.socket.destroy()
  return status
}

/** Statements of the Data API at work now that hold `words`. */
async function underWay(words: string): Promise<number> {
  const { rows } = await server.database.pool.query(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and state = 'active' and pid <> pg_backend_pid()
       and usename = 'authenticator' and position($1 in query) > 0`,
    [words],
  )
  return rows[0].count
}

const quick = '/rest/v1/tasks?select=id&limit=1'

test('a caller whose requests hang has some connections, and all others are answered', async () => {
  const holder: pg.PoolClient = await server.database.pool.connect()
  try {
    await holder.query('select pg_advisory_lock(17)')
    const hanging = await Promise.all(
      Array.from({ length: 40 }, () => begin('GET', '/rest/v1/rpc/waits', '127.0.0.2')),
    )
    await expect.poll(() => underWay('waits')).toBe(3)
    expect(await asked('GET', quick, '127.0.0.3')).toBe(200)
    expect(await asked('GET', '/rest/v1/rpc/badges', '127.0.0.3')).not.toBe(504)
    expect(await underWay('waits')).toBe(3)
    await holder.query('select pg_advisory_unlock(17)')
    const statuses = await Promise.all(hanging.map(async (one) => (await one.answer()).status))
    // On a busy machine some have waited for as long as one waits.
    expect(new Set([...statuses, 204, 429])).toEqual(new Set([204, 429]))
    expect(statuses).toContain(204)
  } finally {
    await holder.query('select pg_advisory_unlock_all()')
    holder.release()
  }
})

test('more than can wait are refused with 429, in words that help', async () => {
  const holder: pg.PoolClient = await server.database.pool.connect()
  try {
    await holder.query('select pg_advisory_lock(17)')
    const hanging = await Promise.all(
      Array.from({ length: 230 }, () => begin('GET', '/rest/v1/rpc/waits', '127.0.0.4')),
    )
    const first = await Promise.race(hanging.map((one) => one.answer()))
    expect([first.status, first.headers['retry-after']]).toEqual([429, '5'])
    expect(JSON.parse(first.body)).toMatchObject({
      code: '53400',
      message: 'Too many of your requests are being worked on; try again in a few seconds',
      hint: 'Ask for less at once: fewer requests, fewer rows, fewer nested embeds.',
    })
    expect(await asked('GET', quick, '127.0.0.5')).toBe(200)
    for (const { socket } of hanging) socket.destroy()
  } finally {
    await holder.query('select pg_advisory_unlock_all()')
    holder.release()
  }
})

test('eighteen nested embeds run two at a time, and one of a handful at once', async () => {
  let salt = 0
  const nested = (depth: number) => {
    let select = 'id'
    salt++
    for (let level = depth; level >= 1; level--) {
      const embed = level % 2 ? `g${salt}_${level}:public_profiles` : `t${salt}_${level}:tasks`
      select = `id,${embed}!task_giver_id(${select})`
    }
    return `/rest/v1/tasks?select=${encodeURIComponent(select)}&limit=1`
  }
  await Promise.all(Array.from({ length: 20 }, () => begin('GET', nested(18), '127.0.0.6')))
  await expect.poll(() => underWay('public_profiles_5')).toBeGreaterThan(0)
  let most = 0
  for (let look = 0; look < 10; look++) {
    // From the same address, as behind a proxy, and from elsewhere.
    expect(await asked('GET', quick, '127.0.0.6')).toBe(200)
    expect(await asked('GET', nested(3), '127.0.0.7')).toBe(200)
    most = Math.max(most, await underWay('public_profiles_5'))
  }
  expect(most).toBeLessThanOrEqual(2)
})
