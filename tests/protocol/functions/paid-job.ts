// One paid job, step by step, through the calls that the web app makes; the card is given to the sandbox with the
// publishable key and the client secret, as a browser does.

import type { SupabaseClient } from '@supabase/supabase-js'
import type Stripe from 'stripe'
import { expect } from 'vitest'
import { readyAccount, stripeFor } from '../../../packages/stripe-sandbox/tests/stripe-sdk.ts'
import { makeAccount, type Person, signedIn } from '../../support/people.ts'
import type { TestServer } from '../../support/server.ts'

export interface Job {
  bookingId: string
  taskId: string
  grace: SupabaseClient
  theo: SupabaseClient
}

/** How long a job or a webhook may take to have its effect, in milliseconds. */
export const soon = { timeout: 60_000, interval: 50 }

/** Grace posts a task of `amount` dollars that starts `hours` from now (no time when left out), Theo applies, she accepts. */
export async function acceptedJob(
  server: TestServer,
  { amount = 100, hours }: { amount?: number; hours?: number } = {},
): Promise<Job> {
  const [grace, theo] = await Promise.all([signedIn(server, 'grace'), signedIn(server, 'theo')])
  const giver = (await grace.auth.getUser()).data.user?.id
  const tasker = (await theo.auth.getUser()).data.user?.id
  const task = await grace
    .from('tasks')
    .insert({
      task_giver_id: giver,
      title: 'Clear the driveway',
      description: 'Two cars wide, and the walk to the door.',
      category: 'Snow Removal',
      location: 'Saskatoon',
      pay_amount: amount,
      scheduled_date: hours === undefined ? null : new Date(Date.now() + hours * 3_600_000).toISOString(),
      status: 'open',
    })
    .select('id')
    .single()
    .throwOnError()
  const booking = await theo
    .from('bookings')
    .insert({ task_id: task.data.id, task_doer_id: tasker, message: 'I have a blower.', status: 'pending' })
    .select('id')
    .single()
    .throwOnError()
  await grace.from('bookings').update({ status: 'accepted' }).eq('id', booking.data.id).throwOnError()
  return { bookingId: booking.data.id, taskId: task.data.id, grace, theo }
}

/** Grace asks for the payment intent; answers the client secret. */
export async function clientSecretOf(job: Job, body: object = {}): Promise<string> {
  const { data, error } = await job.grace.functions.invoke('create-payment-intent', {
    body: { bookingId: job.bookingId, taskId: job.taskId, amount: 1, ...body },
  })
  if (error) throw new Error(`${error.context.status}: ${await error.context.text()}`)
  return data.clientSecret
}

/** The browser confirms with a card. */
export function confirm(
  server: TestServer,
  clientSecret: string,
  card = 'pm_card_visa',
): Promise<Stripe.PaymentIntent> {
  return stripeFor(server, 'publishable').paymentIntents.confirm(intentOf(clientSecret), {
    client_secret: clientSecret,
    payment_method: card,
  } as never)
}

/** The intent's id is the first part of its client secret. */
export function intentOf(clientSecret: string): string {
  return clientSecret.split('_secret_')[0] ?? ''
}

/** The payment of the job as the database has it. */
export async function paymentOf(server: TestServer, job: Pick<Job, 'bookingId'>) {
  const { rows } = await server.database.pool.query('select * from public.payments where booking_id = $1', [
    job.bookingId,
  ])
  return rows[0]
}

/** Why the card, the transfer or the refund of this job failed, as far as this person may read it: the message or the code. */
export async function failuresOf(
  reader: SupabaseClient,
  job: Pick<Job, 'bookingId'>,
  column: 'message' | 'code' = 'message',
): Promise<string[]> {
  const { data } = await reader
    .from('payment_failures')
    .select('message, code, payment:payments!inner(booking_id)')
    .eq('payment.booking_id', job.bookingId)
    .throwOnError()
  return data.map((failure) => failure[column])
}

/** Waits until the payment shows these values. */
export function becomes(server: TestServer, job: Pick<Job, 'bookingId'>, values: Record<string, unknown>) {
  return expect.poll(() => paymentOf(server, job), soon).toMatchObject(values)
}

/** A job that is paid: the money is held. `card` names another of Stripe's test cards. */
export async function paidJob(
  server: TestServer,
  { card, ...options }: { amount?: number; hours?: number; card?: string } = {},
): Promise<Job> {
  const job = await acceptedJob(server, options)
  await confirm(server, await clientSecretOf(job), card)
  await becomes(server, job, { escrow_status: 'held' })
  return job
}

/** Theo says it is done. */
export const complete = (job: Job) =>
  job.theo
    .from('bookings')
    .update({ status: 'completed', completion_notes: 'Done, and salted.' })
    .eq('id', job.bookingId)
    .throwOnError()

/** Grace releases the money, as the app does: a row update. */
export const release = (job: Job) =>
  job.grace
    .from('payments')
    .update({ escrow_status: 'released', released_at: new Date().toISOString() })
    .eq('booking_id', job.bookingId)
    .eq('task_id', job.taskId)
    .throwOnError()

/** Cancels as that person; answers what the function says. */
export async function cancel(client: SupabaseClient, bookingId: string, reason?: string) {
  const { data, error } = await client.functions.invoke('handle-cancellation', {
    body: { bookingId, reason },
  })
  if (error) throw new Error(`${error.context.status}: ${await error.context.text()}`)
  return data as { message: string; feeCents: number; refundCents: number }
}

/** Gives the person a payout account that can receive money, at the provider and here. */
export async function openPayoutAccount(server: TestServer, person: Person = 'theo'): Promise<string> {
  const account = await readyAccount(server)
  await server.database.pool.query(
    `insert into public.payout_accounts (user_id, stripe_account_id, bank_last4, account_status, account_type)
     values ($1, $2, '6789', 'active', 'custom')
     on conflict (user_id) do update set stripe_account_id = excluded.stripe_account_id, account_status = 'active'`,
    [await makeAccount(server, person), account.id],
  )
  return account.id
}

/** Money moved at the provider for this payment, in cents: charged, refunded, transferred. */
export async function moved(server: TestServer, job: Pick<Job, 'bookingId'>) {
  const { rows } = await server.database.pool.query(
    `select object, array_agg((data ->> 'amount')::int order by sequence) as amounts from sandbox.stripe_objects
     where (object = 'transfer' and data ->> 'transfer_group' = $1)
        or (object = 'charge' and data ->> 'transfer_group' = $1 and data ->> 'status' = 'succeeded')
        or (object = 'refund' and data ->> 'charge' in
             (select id from sandbox.stripe_objects where object = 'charge' and data ->> 'transfer_group' = $1))
     group by object`,
    [job.bookingId],
  )
  return Object.fromEntries(rows.map((row) => [row.object, row.amounts])) as Record<string, number[]>
}

/** Every account of the payment's ledger in dollars, zero ones left out, and what all of them sum to. */
export async function ledger(server: TestServer, job: Pick<Job, 'bookingId'>) {
  const { rows } = await server.database.pool.query(
    `select account, sum(e.amount)::float as dollars from public.ledger_entries e
     join public.payments p on p.id = e.payment_id where p.booking_id = $1 group by account`,
    [job.bookingId],
  )
  const accounts = Object.fromEntries(
    rows.filter((row) => row.dollars !== 0).map((row) => [row.account, row.dollars]),
  )
  const sum = rows.reduce((total, row) => total + Math.round(row.dollars * 100), 0)
  return { accounts, sum }
}
