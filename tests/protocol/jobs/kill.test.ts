// kill -9 of the server at every moment of a whole paid job: post, apply, accept, pay, ask for more and pay it, complete, release. Whatever
// was lost on the way to a person they do again; in the end each job is paid once and paid out once.
// Each job meets one kill, spread over the time that a job takes; `npm run test:soak` does many.
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import WebSocket from 'ws'
import { amount } from '../../../packages/server/tests/support/soak.ts'
import { stripeFor } from '../../../packages/stripe-sandbox/tests/stripe-sdk.ts'
import { repositoryFile } from '../../../plugins/repository.ts'
import { liftLimits } from '../../support/lift-limits.ts'
import { PASSWORD } from '../../support/people.ts'
import { buildServer, prepareDataDir, type ServerProcess, startProcess } from '../../support/process.ts'
import { freePort } from '../../support/server.ts'

const ROUNDS = amount({ gate: 1, soak: 20 })

let folder: string
let port: number
let server: ServerProcess
let grace: SupabaseClient
let theo: SupabaseClient
let trusted: SupabaseClient

beforeAll(async () => {
  buildServer()
  folder = mkdtempSync(join(tmpdir(), 'meadowlark-kill-'))
  chmodSync(folder, 0o711)
  // A copy: the same project at every start, also while somebody edits this one.
  for (const part of ['supabase', 'shared'])
    cpSync(repositoryFile(part), join(folder, part), { recursive: true })
  await prepareDataDir(join(folder, 'data'), 'meadowlark')
  port = await freePort()
  server = await start()
  await liftLimits(join(folder, 'data/postgres'))
  trusted = client(server.secret)
  grace = await signIn('grace@example.com')
  theo = await signIn('theo@example.com')
})
afterAll(async () => {
  await server?.end('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

const start = () =>
  startProcess({
    dataDir: join(folder, 'data'),
    workdir: folder,
    port,
    env: { LOG_LEVEL: 'fatal', STRIPE_SANDBOX: 'true' },
  })

function client(key: string): SupabaseClient {
  return createClient(server.url, key, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: WebSocket as never },
  })
}

async function signIn(email: string): Promise<SupabaseClient> {
  const signedIn = client(server.publishable)
  await signedIn.auth
    .signInWithPassword({ email, password: PASSWORD })
    .then(({ error }) => expect(error).toBeNull())
  return signedIn
}

const idOf = async (person: SupabaseClient) => (await person.auth.getSession()).data.session?.user.id

/** Looks, acts, looks again, as a person does whose connection fails: until it is so. */
async function until<T>(
  what: string,
  look: () => Promise<T | undefined>,
  act: () => Promise<unknown>,
): Promise<T> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(60)) {
    const found = await look().catch(() => undefined)
    if (found !== undefined) return found
    await act().catch(() => {})
  }
  throw new Error(`it did not come about: ${what}`)
}

type Row = Record<string, string>

/** One row, undefined while there is none; a failed request rejects. */
async function one(person: SupabaseClient, table: string, equals: Row): Promise<Row | undefined> {
  const { data } = await person.from(table).select('*').match(equals).throwOnError()
  expect(data.length).toBeLessThan(2)
  return data[0] as Row | undefined
}

const when = (row: Row | undefined, field: string, values: string[]) =>
  row && values.includes(row[field] ?? '') ? row : undefined

/** The whole job, step by step. Answers the booking's id. */
async function wholeJob(title: string): Promise<string> {
  const [giver, tasker] = [await idOf(grace), await idOf(theo)]
  const task = await until(
    'the task is posted',
    () => one(grace, 'tasks', { title }),
    async () =>
      grace.from('tasks').insert({
        task_giver_id: giver,
        title,
        description: 'Two cars wide, and the walk to the door.',
        category: 'Snow Removal',
        location: 'Saskatoon',
        pay_amount: 100,
        status: 'open',
      }),
  )
  const booking = { task_id: task.id ?? '' }
  await until(
    'Theo has applied',
    () => one(theo, 'bookings', booking),
    async () =>
      theo.from('bookings').insert({ ...booking, task_doer_id: tasker, message: 'Me', status: 'pending' }),
  )
  const { id = '' } = await until(
    'Grace has accepted',
    async () => when(await one(grace, 'bookings', booking), 'status', ['accepted']),
    async () => grace.from('bookings').update({ status: 'accepted' }).match(booking),
  )
  await until(
    'the money is held',
    async () => when(await one(grace, 'payments', { booking_id: id }), 'escrow_status', ['held']),
    () => pay(id),
  )
  const increase = { booking_id: id, kind: 'increase' }
  const change = await until(
    'Theo has asked for more',
    () => one(theo, 'booking_changes', increase),
    async () => theo.rpc('propose_change', { ...increase, amount: 20, reason: 'The walk, too' }),
  )
  await until(
    'Grace has accepted it',
    async () => when(await one(grace, 'booking_changes', increase), 'state', ['accepted']),
    async () => grace.rpc('answer_change', { change_id: change.id, accept: true, amount: 20 }),
  )
  await until(
    'the increase is paid',
    async () => when(await one(grace, 'booking_changes', increase), 'state', ['done']),
    () => pay(id, change.id),
  )
  await until(
    'Theo is done',
    async () => when(await one(theo, 'bookings', { id }), 'status', ['completed']),
    async () => theo.from('bookings').update({ status: 'completed', completion_notes: 'Done' }).match({ id }),
  )
  await until(
    'the money is released',
    async () => when(await one(grace, 'payments', { booking_id: id }), 'escrow_status', ['released']),
    async () => grace.from('payments').update({ escrow_status: 'released' }).match({ booking_id: id }),
  )
  return id
}

async function pay(bookingId: string, changeId?: string): Promise<void> {
  const body = { bookingId, ...(changeId && { changeId }) }
  const { data, error } = await grace.functions.invoke('create-payment-intent', { body })
  if (error) throw error
  await stripeFor({ url: server.url, secretKey: server.secret }, 'publishable').paymentIntents.confirm(
    data.clientSecret.split('_secret_')[0],
    { client_secret: data.clientSecret, payment_method: 'pm_card_visa' } as never,
  )
}

async function killAfter(milliseconds: number): Promise<void> {
  await sleep(milliseconds)
  await server.end('SIGKILL')
  server = await start()
}

test(
  `${ROUNDS} paid jobs, the server killed once in each: nothing lost, nothing doubled`,
  async () => {
    const began = Date.now()
    const bookings = [await wholeJob('The job without a kill')]
    const usual = Date.now() - began
    for (let round = 0; round < ROUNDS; round++) {
      const moment = ((round + 0.5) / ROUNDS) * usual
      const [booking] = await Promise.all([wholeJob(`The job of round ${round}`), killAfter(moment)])
      bookings.push(booking)
    }
    // And once right after the release, while the transfer is on its way.
    bookings.push(await wholeJob('The job killed at its end'))
    await killAfter(0)

    const stripe = stripeFor({ url: server.url, secretKey: server.secret })
    for (const booking of bookings) {
      const payment = await until(
        'the tasker is paid',
        async () => when(await one(trusted, 'payments', { booking_id: booking }), 'payout_status', ['sent']),
        () => sleep(200),
      )
      const extra = await until(
        'the increase is paid out',
        async () =>
          when(await one(trusted, 'payments', { part_of: payment.id ?? '' }), 'payout_status', ['sent']),
        () => sleep(200),
      )
      const charges = await stripe.charges.list({ transfer_group: booking })
      const transfers = await stripe.transfers.list({ transfer_group: booking })
      expect(charges.data.map((charge) => [charge.status, charge.amount]).sort()).toEqual([
        ['succeeded', 12_000],
        ['succeeded', 2400],
      ])
      expect(Object.fromEntries(transfers.data.map((transfer) => [transfer.id, transfer.amount]))).toEqual({
        [payment.stripe_transfer_id ?? '']: 8000,
        [extra.stripe_transfer_id ?? '']: 1600,
      })
      expect(transfers.data).toHaveLength(2)
      const { data: added } = await trusted
        .from('ledger_entries')
        .select('amount')
        .eq('payment_id', extra.id)
        .throwOnError()
      expect([added.length, added.reduce((sum, { amount }) => sum + Number(amount), 0)]).toEqual([8, 0])
      const { data: entries } = await trusted
        .from('ledger_entries')
        .select('kind, account, amount')
        .eq('payment_id', payment.id)
        .throwOnError()
      const booked = entries.map((entry) => `${entry.kind} ${entry.account} ${Number(entry.amount)}`)
      expect(booked.sort()).toEqual(
        [
          'charge escrow -120',
          'charge provider 120',
          'payout provider -80',
          'payout tasker 80',
          'release escrow 120',
          'release gst -10',
          'release platform_fees -30',
          'release tasker -80',
        ].sort(),
      )
    }
    // People were notified once about each.
    for (const key of ['payment_held', 'change_paid', 'payment_released', 'payout_sent']) {
      const { count } = await trusted
        .from('notifications')
        .select('*', { count: 'exact', head: true })
        .eq('key', key)
        .gte('created_at', new Date(began).toISOString())
        .throwOnError()
      expect([key, count]).toEqual([key, bookings.length * (key === 'payout_sent' ? 2 : 1)])
    }
  },
  60_000 + ROUNDS * 30_000,
)
