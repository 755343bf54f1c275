// Seeded faults in the middle of paid jobs. A server or PostgreSQL is killed or restarted; replication, connections
// and the network between servers are cut; the disk is full; mail is away. The payment provider errs, hangs or
// repeats events, and clocks are wrong. After each, by itself: nothing acknowledged is lost, nothing done twice, the
// ledger is at 0.00, queues are empty, and open screens show what is so. `npm run test:soak -- faults` meets FAULTS
// of them (1,000 unless set, those of MINUTES where that is less) and names each with its count. SEED=n begins with
// the n-th job, so that `SEED=<printed> FAULTS=1` lives a failed one again.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isSoak } from '../../../packages/server/tests/support/soak.ts'
import { reconcile, sandboxObjects } from '../../../scripts/reconcile.mjs'
import { brokenRules } from '../../database/rules.ts'
import type { TestDatabase } from '../../support/database.ts'
import { eventually } from '../../support/process.ts'
import { Installation } from './installation.ts'
import {
  type Act,
  actsOf,
  live,
  type People,
  pick,
  randomOf,
  signInAll,
  stripeOf,
  WAYS,
  type Way,
} from './lives.ts'
import { openScreen, type Screen, SHOWN } from './screen.ts'

const WANTED = Number(process.env.FAULTS ?? 1000)
const FIRST = Number(process.env.SEED ?? 1)
/** No job is begun later than that. */
const MINUTES = Number(process.env.MINUTES ?? 600)
/** Of one job at most. */
const MAX_FAULTS = 3
/** After so many jobs that went wrong, no more are tried. */
const MAX_FAILURES = 5

let at: Installation
let people: People

/**
 * Everything that was asked for is done: what failed is tried again at once, as docs/operations/payments.md says.
 * Money that a chargeback froze waits for the bank.
 */
async function settled(): Promise<void> {
  // E-mails about what was not read, and of earlier jobs, become due all the time.
  const [{ began } = { began: new Date() }] = await at.surely<{ began: Date }>('select now() as began')
  const left = async () => {
    await at.sql(
      `update pgmq.q_effects set vt = now() where read_ct > 0 and vt > now() + interval '1 second'`,
    )
    await at.sql(
      `update graphile_worker._private_jobs set run_at = now() where attempts > 0 and locked_at is null and run_at > now()`,
    )
    const rows = await at.sql<{ what: string }>(
      `select 'effect ' || message::text as what from pgmq.q_effects where read_ct > 0 or vt <= $1
       union all select 'given up ' || message::text from pgmq.a_effects
       union all select concat_ws(' ', 'job', task_identifier, 'attempt', attempts, 'since', locked_at, 'by', locked_by, last_error) from graphile_worker.jobs where run_at <= now()
       union all select 'to be sent ' || id from public.payments where escrow_status in ('released', 'refunded')
         and (payout_status::text not in ('none', 'sent') or refund_status::text not in ('none', 'sent'))
         and not exists (select from public.disputes d where d.payment_id = payments.id and d.open)`,
      [began],
    )
    return rows.map(({ what }) => what)
  }
  let last: unknown
  const isEmpty = async () => {
    last = await left().catch((error) => error)
    return Array.isArray(last) && last.length === 0
  }
  await eventually(isEmpty, 120_000, 100).catch(() => {
    throw new Error(`the queues are not drained: ${last}`)
  })
}

async function check(booking: string, screens: Screen[]): Promise<void> {
  const pool = new pg.Pool({ connectionString: at.databaseUrl, max: 2 })
  pool.on('error', () => {})
  try {
    const db = { database: { pool } } as unknown as TestDatabase
    expect(await brokenRules(db)).toEqual([])
    // The provider's news of it may be on their way.
    const differences = async () => (await reconcile(pool, sandboxObjects(pool))).differences
    await eventually(async () => (await differences()).length === 0).catch(async () =>
      expect(await differences()).toEqual([]),
    )
  } finally {
    await pool.end()
  }
  const charges = await stripeOf(at.one).charges.list({ transfer_group: booking })
  expect(charges.data.filter(({ status }) => status === 'succeeded')).toHaveLength(1)
  const toldTwice = await at.sql(
    `select key, user_id, link, params, count(*) from public.notifications
     where created_at > now() - interval '10 minutes' and link like '%' || $1 || '%'
     group by 1, 2, 3, 4 having count(*) > 1`,
    [booking],
  )
  expect(toldTwice).toEqual([])
  const truth = async () => (await at.sql<{ shown: string }>(SHOWN, [booking]))[0]?.shown
  const isShown = async () => {
    const now = await truth()
    return screens.every(({ shown }) => shown === now)
  }
  await eventually(isShown, 60_000, 50).catch(async () => {
    const stale = screens.map(({ shown }) => shown).join('; ')
    throw new Error(`screens show ${stale} where it is ${await truth()}`)
  })
}

/** One job whose acts meet faults; `struck` is called with each of them once it is over. */
async function life(seed: number, struck: (fault: string) => void): Promise<void> {
  const random = randomOf(seed)
  const way = pick(Object.keys(WAYS) as Way[], random)
  const acts = actsOf(way)
  const strikes = new Map<Act, { fault: string; delay: number }>()
  const count = 1 + Math.floor(random() * MAX_FAULTS)
  for (let n = 0; n < count; n++) {
    // One meets what moves money last.
    const act = n === 0 ? (acts.at(-1) as Act) : pick(acts, random)
    strikes.set(act, { fault: pick(Object.keys(at.faults), random), delay: random() * 150 })
  }
  const plan = [...strikes].map(([act, { fault, delay }]) => `${fault} ${Math.round(delay)} ms into "${act}"`)
  const booking = randomUUID()
  const screens = [people.grace, people.theo].map((person) => openScreen(person, booking))
  let striking: Promise<unknown> = Promise.resolve()
  const strike = (act: Act) => {
    const due = strikes.get(act)
    if (!due) return
    const { fault, delay } = due
    // One after the other; who waits meanwhile sees an error.
    striking = striking.then(async () => {
      await sleep(delay)
      await at.faults[fault]?.()
      struck(fault)
    })
    striking.catch(() => {})
  }
  try {
    // Remains of an earlier job.
    await at.sql('delete from sandbox.stripe_faults')
    await live({ servers: at, people, booking, way, strike })
    await striking
    await settled()
    await check(booking, screens)
  } catch (error) {
    const message = `SEED=${seed} (${way}): ${plan.join(', ')}\n${(error as Error).message}`
    throw new Error(message, { cause: error })
  } finally {
    await striking.catch(() => {})
    await Promise.all(screens.map((screen) => screen.end()))
  }
}

describe.runIf(isSoak)('faults', () => {
  beforeAll(async () => {
    at = new Installation()
    await at.start()
    people = await signInAll(at)
  })
  afterAll(() => at?.end())

  test(
    `${WANTED} faults in the middle of paid jobs: nothing lost, nothing doubled`,
    async () => {
      const counts = new Map<string, number>()
      let met = 0
      const failures: string[] = []
      const struck = (fault: string) => {
        met++
        counts.set(fault, (counts.get(fault) ?? 0) + 1)
      }
      const end = performance.now() + MINUTES * 60_000
      for (let seed = FIRST; met < WANTED && performance.now() < end; seed++) {
        if (process.env.VERBOSE) process.stdout.write(`${new Date().toISOString()} SEED=${seed}\n`)
        await life(seed, struck).catch((error: Error) => {
          failures.push(error.message)
          process.stdout.write(`failed: ${error.message}\n${at.printed()}\n`)
          if (failures.length === MAX_FAILURES) throw error
        })
      }
      const lines = [...counts].sort(([, a], [, b]) => b - a)
      for (const [fault, count] of lines) process.stdout.write(`${String(count).padStart(5)}  ${fault}\n`)
      expect(failures).toEqual([])
    },
    WANTED * 30_000 + 180_000,
  )
})
