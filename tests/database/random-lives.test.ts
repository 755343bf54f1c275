// Random lives: many people act on a few tasks at once, with retries, duplicates and races from parallel
// connections. Whatever happens, the rules that no order of events may break hold afterwards.

import fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import { isUnavailable } from '../../packages/server/src/sql/errors.ts'
import { amount } from '../../packages/server/tests/support/soak.ts'
import { reconcile } from '../../scripts/reconcile.mjs'
import { apply, type Booking, openPayoutAccount, postTask } from './lives.ts'
import { offerAny } from './offers.ts'
import { cast, databaseWithCast, owner, signUp } from './personas.ts'
import { createProvider, type Provider, runScheduled } from './provider.ts'
import { type Act, act, actOn, nextStep } from './random-acts.ts'
import { newVisits, postAnyRepeat } from './random-series.ts'
import { brokenRules } from './rules.ts'
import { saveCard } from './series.ts'

/** Each has an empty database: the rules are asked about all lives in it. */
const PARTS = amount({ gate: 1, soak: 8 })
const LIVES = amount({ gate: 25, soak: 250 })

const db = databaseWithCast({ fresh: true })
let taskers: string[]
let givers: string[]
let provider: Provider
let kills: number

beforeEach(async () => {
  provider = createProvider(db)
  kills = 0
  const una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
  taskers = [cast.theo, una]
  givers = [cast.grace, cast.sam]
  await openPayoutAccount(db, cast.theo) // Una has none: hers wait
  await saveCard(db)
})

/** Refusals are part of life, and so are connections that end; a deadlock or a broken constraint is not. */
const mayFail = (error: Error & { code?: string }) =>
  /^(P0001|42501)$/.test(error.code ?? '') || isUnavailable(error)

/** Ends somebody's connection in the middle of a statement. */
const kill = async (n: number) => {
  const { rowCount } = await owner(db)(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle' offset $1 limit 1`,
    [n % 2],
  )
  kills += rowCount ?? 0
}

async function attempt(what: Act, tasks: string[], bookings: Booking[]): Promise<void> {
  // Among the newest few, so that lives get on.
  const pick = <T>(list: T[]): T | undefined => list.at(-1 - (what.n % Math.max(1, Math.min(5, list.length))))
  const booking = pick(bookings)
  const giver = givers[what.who % givers.length] as string
  const tasker = taskers[what.who % taskers.length] as string
  if (what.kind === 'post') {
    tasks.push(
      await postTask(db, {
        giver,
        amount: 25 + what.n,
        scheduled: `${what.n + tasks.length} hours`,
        minutes: 30,
        expenses: what.n % 3 ? null : 20 + what.n,
      }),
    )
    return
  }
  if (what.kind === 'apply') {
    const task = pick(tasks)
    if (task) bookings.push(await apply(db, task, tasker))
    return
  }
  if (what.kind === 'offer') {
    const task = pick(tasks)
    if (task) bookings.push(await offerAny(db, task, tasker, what.n, 100 + 3 * tasks.length))
    return
  }
  if (what.kind === 'post repeat') {
    tasks.push(await postAnyRepeat(db, giver, what.n, 3 + what.n + tasks.length))
    return
  }
  if (what.kind === 'kill') {
    await kill(what.n)
    return
  }
  if (what.kind === 'time passes') {
    await runScheduled(db, provider)
    return
  }
  if (!booking) return
  const kind = what.kind === 'go on' ? await nextStep(db, booking, what) : what.kind
  await actOn(db, provider, booking, { ...what, kind })
}

/** Each life begins with one application and one offer. */
const START = [
  ['post', 0],
  ['apply', 0],
  ['post', 1],
  ['offer', 1],
] as const

/** Acts that start at the same time. */
async function doTogether(batch: Act[], tasks: string[], bookings: Booking[]): Promise<void> {
  const outcomes = await Promise.allSettled(batch.map((what) => attempt(what, tasks, bookings)))
  bookings.push(...(await newVisits(db, bookings)))
  for (const outcome of outcomes)
    if (outcome.status === 'rejected' && !mayFail(outcome.reason)) throw outcome.reason
}

it.each(Array.from({ length: PARTS }, (_, n) => n + 1))(
  `keeps every rule in ${LIVES} lives (%i)`,
  async () => {
    const tasks: string[] = []
    const bookings: Booking[] = []
    let lives = 0
    // Batches of acts that start together; enough of the early steps that the late ones find something to act on.
    const batches = fc.array(fc.array(act, { minLength: 1, maxLength: 5 }), { minLength: 5, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(batches, async (life) => {
        lives++
        const repeats = [
          { kind: 'post repeat', n: lives },
          { kind: 'apply', n: 0 },
        ] as const
        for (const [kind, who] of START) await doTogether([{ kind, who, n: 0, stars: 5 }], tasks, bookings)
        if (lives % 2)
          for (const step of repeats) await doTogether([{ ...step, who: 0, stars: 5 }], tasks, bookings)
        for (const batch of life) await doTogether(batch, tasks, bookings)
        expect(await brokenRules(db)).toEqual([])
        await provider.catchUp()
        expect(await brokenRules(db)).toEqual([])
        expect((await reconcile(db.database.pool, provider.objects() as never)).differences).toEqual([])
        expect(provider.sentTwice()).toEqual([])
      }),
      { numRuns: LIVES, endOnFailure: true },
    )
    // That there was something to keep: these lives went through what the rules are about.
    const { rows } = await owner(db)(
      `select count(*) filter (where escrow_status <> 'pending')::int as paid,
       count(*) filter (where closed_intents <> '{}')::int as closed,
       (select count(*) from public.disputes)::int as disputed,
       (select count(*) from public.bookings where accepted_option is not null)::int as chosen,
       (select count(*) from public.bookings where counter_state = 'accepted')::int as countered,
       (select count(*) from public.complaints where decision is not null)::int as decided,
       (select count(*) from public.task_series where status = 'stopped')::int as stopped,
       count(*) filter (where escrow_status = 'released' and (select visit_number > 1 from public.bookings b where b.id = booking_id))::int as visits,
       count(*) filter (where part_of is not null and escrow_status = 'released')::int as extras, count(*) filter (where reduction > 0)::int as lowered
     from public.payments`,
    )
    expect(kills).toBeGreaterThan(0)
    expect(rows[0].paid).toBeGreaterThan(20)
    for (const lived of [
      'closed',
      'disputed',
      'decided',
      'chosen',
      'countered',
      'extras',
      'lowered',
      'visits',
      'stopped',
    ]) {
      expect([lived, rows[0][lived]]).not.toEqual([lived, 0])
    }
  },
)
