// npm run reconcile [-- --workdir DIR]: compares the ledger with what the payment provider reports (Stripe, or the
// sandbox when no Stripe is set) and lists every difference. Ends with 1 when there is one.
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { loadCommands } from './ensure-built.mjs'

const kinds = [
  { object: 'charge', name: 'charged', entries: ['charge'], sign: 1 },
  { object: 'transfer', name: 'paid out', entries: ['payout', 'payout_reversed'], sign: -1 },
  { object: 'refund', name: 'refunded', entries: ['refund', 'refund_returned', 'outside_refund'], sign: -1 },
  { object: 'dispute', name: 'charged back', entries: ['dispute', 'dispute_won'], sign: -1 },
]

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main()

async function main() {
  const { ConfigError, describe, loadConfig, stripeAccount, withDatabase } = await loadCommands()
  try {
    const { values } = parseArgs({ options: { workdir: { type: 'string', default: '.' } } })
    const config = loadConfig({ workdir: values.workdir })
    const account = stripeAccount(config.pluginVariables)
    if (!account && config.production)
      throw new ConfigError([
        'STRIPE_SECRET_KEY: is not set, so there is no payment provider to compare the ledger with; set the STRIPE_ variables of the server',
      ])
    const { differences, payments } = await withDatabase(config, ({ pool }) =>
      reconcile(pool, account ? stripeObjects(account.secretKey) : sandboxObjects(pool)),
    )
    for (const line of differences) process.stdout.write(`${line}\n`)
    process.stdout.write(`${payments} payments, ${differences.length} differences\n`)
    process.exitCode = differences.length === 0 ? 0 : 1
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`)
    process.exitCode = 1
  }
}

/** Every difference as a line of text, and how many payments were compared. Amounts are cents inside. */
export async function reconcile(pool, objects) {
  const { rows: payments } = await pool.query(
    `select id, stripe_payment_intent_id as intent from public.payments order by created_at, id`,
  )
  const { rows: entries } = await pool.query(
    `select payment_id, kind, (sum(amount) * 100)::bigint::float8 as cents from public.ledger_entries
     where account = 'provider' group by payment_id, kind`,
  )
  const known = new Set(payments.map((payment) => payment.id))
  const byIntent = new Map(payments.map((payment) => [payment.intent, payment.id]))
  const here = new Map()
  for (const { payment_id, kind, cents } of entries) {
    const family = kinds.find((each) => each.entries.includes(kind))
    if (family) add(here, `${payment_id} ${family.object}`, cents * family.sign)
  }
  const there = new Map()
  const differences = []
  for await (const object of objects) {
    const cents = moved(object)
    if (cents === 0) continue
    // As record_stripe_event has it: the intent first, and our metadata only where that says nothing.
    const payment = [byIntent.get(object.payment_intent), object.metadata?.payment_id].find((id) =>
      known.has(id),
    )
    if (payment) add(there, `${payment} ${object.object}`, cents)
    else differences.push(`${object.id}: ${dollars(cents)} belong to no payment here`)
  }
  for (const { id } of payments) {
    for (const { object, name } of kinds) {
      const [ours, theirs] = [here.get(`${id} ${object}`) ?? 0, there.get(`${id} ${object}`) ?? 0]
      if (ours !== theirs) {
        differences.push(`payment ${id}: ${name} ${dollars(ours)} here, ${dollars(theirs)} at the provider`)
      }
    }
  }
  return { differences, payments: payments.length }
}

/** Cents that this object moved and that did not come back. */
function moved({ object, amount, amount_reversed = 0, status, balance_transactions = [] }) {
  if (object === 'dispute') return -balance_transactions.reduce((sum, each) => sum + each.amount, 0)
  if (object === 'transfer') return amount - amount_reversed
  if (object === 'charge') return status === 'succeeded' ? amount : 0
  return status === 'failed' || status === 'canceled' ? 0 : amount
}

function add(sums, key, cents) {
  sums.set(key, (sums.get(key) ?? 0) + cents)
}

function dollars(cents) {
  return `$${(cents / 100).toFixed(2)}`
}

async function* stripeObjects(key) {
  const { default: Stripe } = await import('stripe')
  const stripe = new Stripe(key)
  for (const resource of [stripe.charges, stripe.transfers, stripe.refunds, stripe.disputes])
    yield* resource.list({ limit: 100 })
}

/** The sandbox also stores payments to connected accounts as charges; those are not the platform's. */
export async function* sandboxObjects(pool) {
  const { rows } = await pool.query(
    `select data from sandbox.stripe_objects where object in ('charge', 'transfer', 'refund', 'dispute')
       and not data ? '_account' order by sequence`,
  )
  for (const { data } of rows) yield data
}
