// Steps of people at a marketplace in production, through its HTTP API alone, and counts in its database.
import { join } from 'node:path'
import { runningUrl } from '@meadowlark/server/postgres/cluster/postmaster.ts'
import type { SupabaseClient } from '@supabase/supabase-js'
import { Secret, TOTP } from 'otpauth'
import pg from 'pg'
import { expect } from 'vitest'
import { bankAccount, stripeFor } from '../../../packages/stripe-sandbox/tests/stripe-sdk.ts'
import { PASSWORD, stranger } from '../../support/people.ts'
import type { MailServer, PaymentProvider } from './payment-provider.ts'

/** Where it is reached. */
export interface Address {
  url: string
  publishableKey: string
}

const soon = { timeout: 60_000, interval: 50 }

/** Signs up, confirms the address with the code that comes by mail, and is signed in. */
export async function signUp(
  at: Address,
  mail: MailServer,
  [name, role]: [name: string, role: 'task_giver' | 'task_doer'],
): Promise<SupabaseClient> {
  const client = stranger(at)
  const email = `${name.toLowerCase()}@example.com`
  const data = { full_name: `${name} Field`, phone: '3065550100', role }
  const signed = await client.auth.signUp({ email, password: PASSWORD, options: { data } })
  expect(signed.error).toBe(null)
  await expect.poll(() => mail.codeFor(email), soon).toBeDefined()
  const token = mail.codeFor(email) as string
  const { error } = await client.auth.verifyOtp({ email, token, type: 'signup' })
  expect(error).toBe(null)
  return client
}

/** Signs somebody in again, as on another device. */
export async function signIn(at: Address, name: string): Promise<SupabaseClient> {
  const client = stranger(at)
  const { error } = await client.auth.signInWithPassword({
    email: `${name}@example.com`,
    password: PASSWORD,
  })
  expect(error).toBe(null)
  return client
}

/** Adds an authenticator app and proves it, as administrators have to. */
export async function proveSecondFactor(client: SupabaseClient): Promise<void> {
  const { data } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone app' })
  const code = new TOTP({ secret: Secret.fromBase32(data?.totp.secret ?? '') }).generate()
  const { error } = await client.auth.mfa.challengeAndVerify({ factorId: data?.id ?? '', code })
  expect(error).toBe(null)
}

const idOf = async (client: SupabaseClient) => (await client.auth.getUser()).data.user?.id as string

/** A job of $100 from its post to the money at the tasker's bank; resolves with the booking's id. */
export async function paidJob(
  grace: SupabaseClient,
  theo: SupabaseClient,
  provider: PaymentProvider,
): Promise<string> {
  const task = await grace
    .from('tasks')
    .insert({
      task_giver_id: await idOf(grace),
      title: 'Clear the driveway',
      category: 'Snow Removal',
      description: 'Two cars wide, and the walk to the door.',
      location: 'Saskatoon',
      pay_amount: 100,
      status: 'open',
    })
    .select('id')
    .single()
    .throwOnError()
  const wanted = { task_id: task.data.id, task_doer_id: await idOf(theo), message: 'I have a blower.' }
  const booking = await theo
    .from('bookings')
    .insert({ ...wanted, status: 'pending' })
    .select('id')
    .single()
    .throwOnError()
  const booked = booking.data.id as string
  await grace.from('bookings').update({ status: 'accepted' }).eq('id', booked).throwOnError()
  await pay(grace, provider, booked)
  await openPayoutAccount(theo, provider)
  await theo.from('bookings').update({ status: 'completed' }).eq('id', booked).throwOnError()
  await grace.from('payments').update({ escrow_status: 'released' }).eq('booking_id', booked).throwOnError()
  await expect.poll(() => payment(theo, booked), soon).toMatchObject({ payout_status: 'sent' })
  return booked
}

async function pay(grace: SupabaseClient, { server }: PaymentProvider, bookingId: string): Promise<void> {
  const { data, error } = await grace.functions.invoke('create-payment-intent', { body: { bookingId } })
  if (error) throw new Error(await error.context.text())
  const [intent] = data.clientSecret.split('_secret_')
  await stripeFor(server, 'publishable').paymentIntents.confirm(intent, {
    client_secret: data.clientSecret,
    payment_method: 'pm_card_visa',
  } as never)
  await expect.poll(() => payment(grace, bookingId), soon).toMatchObject({ escrow_status: 'held' })
}

async function openPayoutAccount(theo: SupabaseClient, { server }: PaymentProvider): Promise<void> {
  const { object: _, ...numbers } = bankAccount
  const token = (await stripeFor(server, 'publishable').tokens.create({ bank_account: numbers })).id
  const person = {
    firstName: 'Theo',
    lastName: 'Field',
    dateOfBirth: '1990-02-01',
    address: '12 Elm St',
    city: 'Saskatoon',
    postalCode: 'S7K 1N1',
  }
  const body = { token, person, termsAccepted: true }
  const { data, error } = await theo.functions.invoke('save-payout-account', { body })
  if (error) throw new Error(await error.context.text())
  expect(data).toMatchObject({ status: 'active' })
}

/** The payment of a booking, as one of its two people reads it. */
export async function payment(reader: SupabaseClient, bookingId: string) {
  const { data } = await reader.from('payments').select().eq('booking_id', bookingId).maybeSingle()
  return data as Record<string, unknown> | null
}

/** Figures to compare before and after: rows by table, and the ledger in dollars. */
export async function figures(url: string): Promise<Record<string, string>> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query(
      `select (select count(*) from auth.users) as people, (select count(*) from public.tasks) as tasks,
        (select count(*) from public.bookings) as bookings, (select count(*) from public.payments) as payments,
        (select count(*) from public.messages) as messages, (select count(*) from public.receipts) as receipts,
        (select count(*) from storage.objects) as files, (select count(*) from auth.mfa_factors) as factors,
        (select count(*) from public.ledger_entries) as entries,
        (select coalesce(sum(amount), 0)::numeric(12, 2) from public.ledger_entries) as ledger`,
    )
    return rows[0]
  } finally {
    await client.end()
  }
}

/** The address of the embedded database of a server that runs. */
export const databaseOf = (dataDir: string) => runningUrl(join(dataDir, 'postgres')) as string
