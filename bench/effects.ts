// The delay of effects: how long after its release a payout is requested from the payment provider, through the
// queue, the pg_net call and the function that drains it. Nothing else runs; the clock alone would take five seconds.
import pg from 'pg'
import { type Measured, percentile } from '../packages/server/bench/stage/figure.ts'
import type { Stage } from '../packages/server/bench/stage/stage.ts'
import { agent, type Town } from './stage/ask.ts'
import { makePairs, openTown } from './stage/open-town.ts'
import { STEPS } from './stage/townspeople.ts'

export const title = 'Effects: a payout after its release'

/** The first compile functions and prepare statements, and are not counted. */
const FIRST = 5
const PAYOUTS = 35
const BOUND_MS = 100
const GIVE_UP_MS = 30_000

export async function* measure(stage: Stage): AsyncIterable<Measured> {
  const server = await openTown(stage, 4308)
  const failures: string[] = []
  const town: Town = {
    port: server.ready.port,
    publishableKey: server.ready.publishable,
    secretKey: server.ready.secret,
    onAnswer(kind, _ms, failure) {
      if (failure) failures.push(`${kind}: ${failure}`)
    },
  }
  const pairs = await makePairs(stage, town, PAYOUTS)
  await openPayoutAccounts(
    stage,
    pairs.map(({ tasker }) => tasker.id),
  )
  const watching = new pg.Client({ connectionString: (await stage.postgres()).url('town') })
  await watching.connect()
  const transfers = async () => {
    const { rows } = await watching.query<{ count: number }>(
      `select count(*)::int as count from sandbox.stripe_objects where object = 'transfer'`,
    )
    return rows[0]?.count ?? 0
  }
  const times: number[] = []
  for (const pair of pairs) {
    for (const step of STEPS.slice(0, STEPS.indexOf('release'))) await pair.once(step)
    const before = await transfers()
    await pair.once('release')
    const released = performance.now()
    while ((await transfers()) === before) {
      if (performance.now() - released > GIVE_UP_MS)
        throw new Error(`no payout was asked for; ${failures.slice(0, 3).join(', ')}`)
    }
    times.push(performance.now() - released)
  }
  await watching.end()
  agent.destroy()
  const counted = times.slice(FIRST)
  stage.log(`milliseconds of each: ${counted.map((ms) => ms.toFixed(0)).join(' ')}`)
  for (const share of [0.5, 0.95])
    yield {
      name: `a payout is asked for after its release, p${share * 100}`,
      ours: percentile(counted, share),
      against: 'bound',
      theirs: BOUND_MS,
      unit: 'ms',
      bound: { atMost: 1 },
    }
}

/** Each of them has an account at the stand-in that can be paid. */
async function openPayoutAccounts(stage: Stage, people: string[]): Promise<void> {
  await stage.sql(
    'town',
    `with opened as (
       insert into public.payout_accounts (user_id, stripe_account_id, bank_last4, account_status, account_type)
       select person, 'acct_' || replace(person::text, '-', ''), '6789', 'active', 'custom' from unnest($1::uuid[]) person
       returning stripe_account_id as id
     )
     insert into sandbox.stripe_objects (id, object, data, created)
     select id, 'account', jsonb_build_object('id', id, 'object', 'account', 'type', 'custom', 'country', 'CA',
       'capabilities', '{"transfers": "active"}'::jsonb, 'payouts_enabled', true), now() from opened`,
    [people],
  )
}
