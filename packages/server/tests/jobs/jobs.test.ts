// The job queue: jobs exist with the change that causes them, run until they have succeeded, and survive their worker.

import pino from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freeLostJobs } from '../../src/jobs/alive.ts'
import { createJobs, type Jobs } from '../../src/jobs/jobs.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let test: TestDatabase
const started: Jobs[] = []
beforeAll(async () => {
  test = await createTestDatabase()
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((jobs) => jobs.stop()))
  await test.database.pool.query('drop trigger if exists crossing_off on graphile_worker._private_jobs')
  await test.database.pool.query('delete from graphile_worker._private_jobs')
})
afterAll(() => test.drop())

function make(): Jobs {
  const jobs = createJobs({ database: test.database, log: pino({ level: 'silent' }) })
  started.push(jobs)
  return jobs
}

/** A promise, and what fulfils it. */
function signal(): [Promise<void>, () => void] {
  let fulfil = () => {}
  const promise = new Promise<void>((resolve) => {
    fulfil = resolve
  })
  return [promise, fulfil]
}

const soon = { timeout: 60_000, interval: 20 }
const left = async () =>
  (await test.database.pool.query('select * from graphile_worker.jobs order by id')).rows

describe('a job', () => {
  it('exists if the change that causes it does, and not otherwise', async () => {
    const jobs = make()
    const ran: unknown[] = []
    jobs.register('note', async (payload) => void ran.push(payload))
    await jobs.start()
    await test.database.transaction((client) => jobs.enqueue(client, 'note', { kept: true }))
    await test.database
      .transaction(async (client) => {
        await jobs.enqueue(client, 'note', { kept: false })
        throw new Error('the change failed')
      })
      .catch(() => {})
    await expect.poll(left, soon).toEqual([])
    expect(ran).toEqual([{ kept: true }])
  })

  it('is replaced by a later one with the same key, and waits for its time', async () => {
    const jobs = make()
    const ran: unknown[] = []
    jobs.register('note', async (payload) => void ran.push(payload))
    const pool = test.database.pool
    await jobs.enqueue(pool, 'note', { version: 1 }, { jobKey: 'one', runAt: new Date(Date.now() + 60_000) })
    await jobs.enqueue(pool, 'note', { version: 2 }, { jobKey: 'one' })
    await jobs.enqueue(pool, 'note', { version: 3 }, { runAt: new Date(Date.now() + 60_000) })
    await jobs.start()
    await expect.poll(() => ran, soon).toEqual([{ version: 2 }])
    await expect.poll(left, soon).toHaveLength(1)
  })

  it('runs though the answer that handed it out was lost with the connection', async () => {
    const jobs = make()
    const ran: string[] = []
    const [hasEnded, end] = signal()
    jobs.register('long', () => hasEnded)
    jobs.register('lost', async () => void ran.push('lost'))
    const { pool } = test.database
    await jobs.start()
    await jobs.enqueue(pool, 'long', {})
    await expect.poll(async () => (await left())[0]?.locked_by, soon).toBeTruthy()
    const [long] = await left()
    // Handed out in the database, and known to no worker.
    await jobs.enqueue(pool, 'lost', {}, { runAt: new Date(Date.now() + 3_600_000) })
    await pool.query(
      `update graphile_worker._private_jobs set run_at = now(), locked_by = $1, locked_at = now() - interval '1 minute'`,
      [long?.locked_by],
    )
    await freeLostJobs(pool, long?.locked_by, new Set([long?.id]))
    await expect.poll(() => ran, soon).toEqual(['lost'])
    const owners = async () => (await left()).map(({ id, locked_by }) => [id, locked_by])
    await expect.poll(owners, soon).toEqual([[long?.id, long?.locked_by]])
    end()
    await expect.poll(left, soon).toEqual([])
  })

  it('runs again after it failed, and says which try it is', async () => {
    const jobs = make()
    const tries: number[] = []
    jobs.register('flaky', async (_, { attempt }) => {
      tries.push(attempt)
      if (attempt === 1) throw new Error('not this time')
    })
    await jobs.enqueue(test.database.pool, 'flaky', {})
    await jobs.start()
    await expect.poll(async () => (await left())[0]?.last_error, soon).toBe('not this time')
    await expect.poll(left, soon).toEqual([])
    expect(tries).toEqual([1, 2])
  })

  it('is given up after its last try, and kept to be looked at', async () => {
    const jobs = make()
    jobs.register('hopeless', async () => {
      throw new Error('never')
    })
    await jobs.enqueue(test.database.pool, 'hopeless', {}, { maxAttempts: 1 })
    await jobs.start()
    await expect
      .poll(async () => (await left())[0], soon)
      .toMatchObject({ attempts: 1, max_attempts: 1, last_error: 'never' })
  })
})

describe('a worker', () => {
  it('takes up at once what a killed one had begun', async () => {
    const jobs = make()
    const ran: number[] = []
    jobs.register('note', async (_, { attempt }) => void ran.push(attempt))
    await jobs.enqueue(test.database.pool, 'note', {})
    // A job after kill -9: locked by a worker that no longer exists.
    await test.database.pool.query(
      `update graphile_worker._private_jobs set locked_by = 'pool-killed', locked_at = now(), attempts = 1`,
    )
    await jobs.start()
    await expect.poll(() => ran, soon).toEqual([2])
  })

  it('leaves alone what a living one is at', async () => {
    const [first, second] = [make(), make()]
    let runs = 0
    const [isOver, end] = signal()
    for (const jobs of [first, second]) {
      jobs.register('slow', async () => {
        runs++
        await isOver
      })
    }
    let hasLooked = false
    second.register('look', async () => {
      hasLooked = true
    })
    await first.start()
    await first.enqueue(test.database.pool, 'slow', {})
    await expect.poll(() => runs, soon).toBe(1)
    await second.start()
    await second.enqueue(test.database.pool, 'look', {})
    await expect.poll(() => hasLooked, soon).toBe(true)
    end()
    await expect.poll(left, soon).toEqual([])
    expect(runs).toBe(1)
  })

  it('finishes what it is at before it stops', async () => {
    const jobs = make()
    let finished = false
    const [isOver, end] = signal()
    jobs.register('slow', async () => {
      await isOver
      finished = true
    })
    await jobs.start()
    await jobs.enqueue(test.database.pool, 'slow', {})
    await expect.poll(async () => (await left())[0]?.locked_by, soon).toBeTruthy()
    // Completing it is a separate statement, which may take a while.
    await whenCrossingOff('perform pg_sleep(0.5)')
    const stopped = jobs.stop()
    end()
    await stopped
    expect(finished).toBe(true)
    expect(await left()).toEqual([])
  })

  it.each([
    ['crosses off what is done', 'delete', async () => {}],
    ['puts back what failed', 'update', () => Promise.reject(new Error('not this time'))],
  ] as const)('%s although the database did not answer at first', async (_, verb, handler) => {
    const jobs = make()
    jobs.register('note', handler)
    await jobs.enqueue(test.database.pool, 'note', {})
    // A sequence does not forget what was rolled back: the first two tries fail.
    await test.database.pool.query('drop sequence if exists public.tries; create sequence public.tries')
    await whenCrossingOff(
      `if tg_op = 'DELETE' or new.last_error is not null then
         if nextval('public.tries') < 3 then raise exception using errcode = '57P01', message = 'away'; end if;
       end if`,
      verb,
    )
    await jobs.start()
    await expect
      .poll(async () => (await left()).filter((job) => job.locked_by || !job.last_error), soon)
      .toEqual([])
    expect(await left()).toHaveLength(verb === 'delete' ? 0 : 1)
  })

  /** Something that happens whenever the worker crosses a job off, or puts it back; gone after the test. */
  async function whenCrossingOff(what: string, verb: 'delete' | 'update' = 'delete') {
    await test.database.pool.query(`
      create or replace function public.crossing_off() returns trigger language plpgsql security definer as $$
      begin ${what}; return coalesce(new, old); end $$;
      create trigger crossing_off before ${verb} on graphile_worker._private_jobs
      for each row execute function public.crossing_off()`)
  }
})
