// Paid jobs as people live them while things fail: each act is looked for, done, and looked for again until it is so. The
// seed decides which way a job goes and at which act the fault strikes.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import WebSocket from 'ws'
import { openDispute, stripeFor } from '../../../packages/stripe-sandbox/tests/stripe-sdk.ts'
import { PASSWORD } from '../../support/people.ts'

/** From 0 up to, and without, 1; the same numbers for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const pick = <T>(list: readonly T[], random: () => number): T =>
  list[Math.floor(random() * list.length)] as T

/** The ways that a job can go, and their acts behind the payment. */
export const WAYS = {
  'paid out': ['complete', 'release'],
  'cancelled by the giver': ['cancel as giver'],
  'cancelled by the tasker': ['cancel as tasker'],
  'complaint released': ['complete', 'complain', 'answer', 'decide release'],
  'complaint refunded': ['complete', 'complain', 'answer', 'decide refund'],
  'complaint split': ['complete', 'complain', 'answer', 'decide split'],
  'charged back': ['complete', 'release', 'charge back'],
} as const
export type Way = keyof typeof WAYS

export type Act = (typeof WAYS)[Way][number] | 'post' | 'apply' | 'accept' | 'write' | 'pay'
export const actsOf = (way: Way): Act[] => ['post', 'apply', 'accept', 'write', 'pay', ...WAYS[way]]

export type Server = { url: string; publishable: string; secret: string }
export type Servers = { one: Server; two: Server }
export type People = { grace: SupabaseClient; theo: SupabaseClient; ada: SupabaseClient }
type Row = Record<string, string>

const ANSWER = 'It snowed again at noon.'

export const stripeOf = ({ url, secret }: Server, key: 'secret' | 'publishable' = 'secret') =>
  stripeFor({ url, secretKey: secret }, key)

/** Grace at one server, Theo and Ada at the other. */
export async function signInAll({ one, two }: Servers): Promise<People> {
  const signIn = async (name: string, { url, publishable }: Server) => {
    const client = createClient(url, publishable, {
      auth: { persistSession: false },
      realtime: { transport: WebSocket as never },
    })
    const { error } = await client.auth.signInWithPassword({
      email: `${name}@example.com`,
      password: PASSWORD,
    })
    if (error) throw error
    return client
  }
  return { grace: await signIn('grace', one), theo: await signIn('theo', two), ada: await signIn('ada', two) }
}

/** Runs an act; throws the error that a Supabase client answers with. */
async function answered(act: () => unknown): Promise<void> {
  const answer = (await act()) as { error?: Error | null } | undefined
  if (answer?.error) throw answer.error
}

/**
 * Looks, acts, looks again, as a person does whose connection fails, until it is so. An acknowledged step is not
 * repeated: it is visible at the next look, unless it is `later`, when the provider has reported it.
 */
async function until(what: string, { look, act, later = false }: Doing): Promise<void> {
  let last: unknown
  let acknowledged = false
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(40)) {
    try {
      if ((await look()) !== undefined) return
      if (acknowledged && !later) throw new Lost(`acknowledged and lost: ${what}`)
      if (acknowledged) continue
      await answered(act)
      acknowledged = true
    } catch (error) {
      if (error instanceof Lost) throw error
      last = error
    }
  }
  const why = `${acknowledged ? 'acknowledged' : 'never acknowledged'}, last ${(last as Error)?.message}`
  throw new Error(`it did not come about: ${what} (${why})`)
}

class Lost extends Error {}

interface Doing {
  look: () => Promise<unknown>
  act: () => unknown
  later?: boolean
}

export interface Life {
  servers: Servers
  people: People
  /** The id that its booking will have. */
  booking: string
  way: Way
  /** Called when an act begins. */
  strike: (act: Act) => void
}

/** One job, from its post to its end. */
export async function live({
  servers,
  people: { grace, theo, ada },
  booking,
  way,
  strike,
}: Life): Promise<void> {
  const [task, message] = [randomUUID(), randomUUID()]
  const [giver = '', tasker = ''] = await Promise.all(
    [grace, theo].map(async (person) => (await person.auth.getSession()).data.session?.user.id),
  )
  const one = async (person: SupabaseClient, table: string, equals: Row) => {
    const { data } = await person.from(table).select('*').match(equals).throwOnError()
    if (data.length > 1) throw new Lost(`done twice: ${data.length} rows of ${table}`)
    return data[0] as Row | undefined
  }
  const is = async (person: SupabaseClient, table: string, field: string, ...values: string[]) => {
    const row = await one(person, table, table === 'bookings' ? { id: booking } : { booking_id: booking })
    return row && values.includes(row[field] ?? '') ? row : undefined
  }
  const cancel = (person: SupabaseClient) =>
    person.functions.invoke('handle-cancellation', { body: { bookingId: booking, reason: 'Plans changed' } })
  const decided = () => is(ada, 'complaints', 'decision', 'release', 'refund', 'split')
  const decide = async (decision: string) => {
    const { id } = (await one(ada, 'complaints', { booking_id: booking })) ?? {}
    const part = decision === 'split' ? { returned_amount: 33.37 } : {}
    await ada.rpc('decide_complaint', { complaint_id: id, decision, ...part }).throwOnError()
  }
  const intent = async () =>
    (await one(grace, 'payments', { booking_id: booking }))?.stripe_payment_intent_id ?? ''

  const acts: Record<Act, [look: () => Promise<unknown>, act: () => unknown]> = {
    post: [
      () => one(grace, 'tasks', { id: task }),
      () =>
        grace.from('tasks').insert({
          id: task,
          task_giver_id: giver,
          title: 'Clear the driveway',
          category: 'Snow Removal',
          description: 'Two cars wide, and the walk to the door.',
          location: 'Saskatoon',
          pay_amount: 100,
          status: 'open',
        }),
    ],
    apply: [
      () => is(theo, 'bookings', 'task_id', task),
      () =>
        theo
          .from('bookings')
          .insert({ id: booking, task_id: task, task_doer_id: tasker, message: 'Me', status: 'pending' }),
    ],
    accept: [
      () => is(grace, 'bookings', 'status', 'accepted', 'in_progress'),
      () => grace.from('bookings').update({ status: 'accepted' }).match({ id: booking }),
    ],
    write: [
      () => one(theo, 'messages', { id: message }),
      () =>
        grace
          .from('messages')
          .insert({ id: message, booking_id: booking, sender_id: giver, receiver_id: tasker, message: 'Hi' }),
    ],
    pay: [() => is(grace, 'payments', 'escrow_status', 'held'), () => pay(servers.one, grace, booking)],
    complete: [
      () => is(theo, 'bookings', 'status', 'completed'),
      () => theo.from('bookings').update({ status: 'completed' }).match({ id: booking }),
    ],
    release: [
      () => is(grace, 'payments', 'escrow_status', 'released'),
      () => grace.from('payments').update({ escrow_status: 'released' }).match({ booking_id: booking }),
    ],
    'cancel as giver': [() => is(grace, 'bookings', 'status', 'cancelled'), () => cancel(grace)],
    'cancel as tasker': [() => is(theo, 'bookings', 'status', 'cancelled'), () => cancel(theo)],
    complain: [
      () => one(grace, 'complaints', { booking_id: booking }),
      () => grace.from('complaints').insert({ booking_id: booking, reason: 'Not quite what was asked.' }),
    ],
    answer: [
      () => is(theo, 'complaints', 'answer', ANSWER),
      () => theo.from('complaints').update({ answer: ANSWER }).match({ booking_id: booking }),
    ],
    'decide release': [decided, () => decide('release')],
    'decide refund': [decided, () => decide('refund')],
    'decide split': [decided, () => decide('split')],
    'charge back': [
      async () => {
        const wanted = await intent()
        const { data } = await stripeOf(servers.two).disputes.list({ limit: 100 })
        return data.find((dispute) => dispute.payment_intent === wanted)
      },
      async () => {
        const { url, secret } = servers.two
        await openDispute({ url, secretKey: secret } as never, { payment_intent: await intent() })
      },
    ],
  }
  for (const act of actsOf(way)) {
    strike(act)
    const [look, doIt] = acts[act]
    await until(act, { look, act: doIt, later: act === 'pay' })
  }
}

async function pay(server: Server, giver: SupabaseClient, bookingId: string): Promise<void> {
  const { data, error } = await giver.functions.invoke('create-payment-intent', { body: { bookingId } })
  if (error) throw error
  const [intent] = data.clientSecret.split('_secret_')
  await stripeOf(server, 'publishable').paymentIntents.confirm(intent, {
    client_secret: data.clientSecret,
    payment_method: 'pm_card_visa',
  } as never)
}
