// The way to a booking in a given state, through the same calls as the app's, so that a journey can begin there.

import { randomUUID } from 'node:crypto'
import { sandboxStripeKeys } from '@meadowlark/stripe-sandbox/keys.ts'
import { expect, type Page } from '@playwright/test'
import sharp from 'sharp'
import type { AppServer, Person } from './server.ts'
import { uniqueWord } from './unique.ts'

export type Job = {
  title: string
  taskId: string
  bookingId: string
  giver: Person | `${string}@example.com`
}

/** Grace (or `giver`) posts a task of `amount` dollars, `hours` from now (no time when left out). Resolves to its title and id. */
export async function postedTask(
  server: AppServer,
  {
    amount = 100,
    hours,
    title = 'Clear the driveway',
    category = 'Snow Removal',
    location = 'Nutana, Saskatoon',
    giver = 'grace',
  }: {
    amount?: number
    hours?: number
    title?: string
    category?: string
    location?: string
    giver?: Job['giver']
  } = {},
): Promise<Omit<Job, 'bookingId'>> {
  const client = await server.signedIn(giver)
  const { data: session } = await client.auth.getUser()
  const unique = `${title} ${uniqueWord()}`
  const { data } = await client
    .from('tasks')
    .insert({
      task_giver_id: session.user?.id,
      title: unique,
      description: 'Two cars wide, and the walk to the side door.',
      category,
      location,
      pay_amount: amount,
      scheduled_date: hours === undefined ? null : new Date(Date.now() + hours * 3_600_000).toISOString(),
      status: 'open',
    })
    .select('id')
    .single()
    .throwOnError()
  return { title: unique, taskId: data.id, giver }
}

/** A task that Theo, or the tasker of another account, has applied to. */
export async function appliedJob(
  server: AppServer,
  task?: Parameters<typeof postedTask>[1],
  tasker: Parameters<AppServer['signedIn']>[0] = 'theo',
): Promise<Job> {
  const posted = await postedTask(server, task)
  const theo = await server.signedIn(tasker)
  const { data: session } = await theo.auth.getUser()
  const { data } = await theo
    .from('bookings')
    .insert({
      task_id: posted.taskId,
      task_doer_id: session.user?.id,
      message: 'I have a blower and an hour.',
      status: 'pending',
    })
    .select('id')
    .single()
    .throwOnError()
  return { ...posted, bookingId: data.id }
}

/** A booking that Grace has accepted and not yet paid. */
export async function acceptedJob(
  server: AppServer,
  task?: Parameters<typeof postedTask>[1],
  tasker?: Parameters<AppServer['signedIn']>[0],
): Promise<Job> {
  const job = await appliedJob(server, task, tasker)
  const giver = await server.signedIn(job.giver)
  await giver.from('bookings').update({ status: 'accepted' }).eq('id', job.bookingId).throwOnError()
  return job
}

/** A booking whose money is held; `card` names another of Stripe's test cards, one that is disputed at once, say. */
export async function paidJob(
  server: AppServer,
  task?: Parameters<typeof postedTask>[1],
  { card = 'pm_card_visa', escrow = 'held', tasker = 'theo' } = {},
): Promise<Job> {
  const job = await acceptedJob(server, task, tasker)
  await payByCard(server, job, {}, card)
  await expect.poll(() => paymentOf(server, job)).toMatchObject({ escrow_status: escrow })
  return job
}

/** The giver pays for the booking, or for that change of its price. */
async function payByCard(server: AppServer, job: Job, part: { changeId?: string }, card: string) {
  const giver = await server.signedIn(job.giver)
  const keys = await giver.functions.invoke('get-stripe-config')
  const intent = await giver.functions.invoke('create-payment-intent', {
    body: { bookingId: job.bookingId, taskId: job.taskId, ...part },
  })
  const secret: string = intent.data.clientSecret
  const confirmed = await fetch(
    `${server.url}/sandbox/stripe/v1/payment_intents/${secret.split('_secret_')[0]}/confirm`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.data.publishableKey}` },
      body: new URLSearchParams({ client_secret: secret, payment_method: card }),
    },
  )
  expect(confirmed.status).toBe(200)
}

/** An increase, or an expense with a photo of its receipt, of that many dollars, which Theo proposed and Grace paid. Resolves to its id. */
export async function paidChange(
  server: AppServer,
  job: Job,
  kind: 'increase' | 'expense',
  amount: number,
): Promise<string> {
  const theo = await server.signedIn('theo')
  const giver = await server.signedIn(job.giver)
  const booking_id = job.bookingId
  const photo = `${booking_id}/${randomUUID()}.jpg`
  if (kind === 'expense') {
    await giver.rpc('set_expense_limit', { booking_id, amount }).throwOnError()
    const picture = sharp({ create: { width: 60, height: 90, channels: 3, background: '#f4f1ea' } })
    const file = await picture.jpeg().toBuffer()
    const { error } = await theo.storage
      .from('booking-photos')
      .upload(photo, file, { contentType: 'image/jpeg' })
    if (error) throw error
  }
  const proposed = { booking_id, kind, amount, reason: 'Salt for the walk.' }
  const photos = kind === 'expense' ? [photo] : []
  const { data: changeId } = await theo.rpc('propose_change', { ...proposed, photos }).throwOnError()
  await giver.rpc('answer_change', { change_id: changeId, accept: true, amount }).throwOnError()
  await payByCard(server, job, { changeId }, 'pm_card_visa')
  const state = async () =>
    (await giver.from('booking_changes').select('state').eq('id', changeId).single().throwOnError()).data
      .state
  await expect.poll(state).toBe('done')
  return changeId
}

/** A booking that is done, and with `released` its money handed over by the giver. */
export async function doneJob(
  server: AppServer,
  { released = false, ...task }: Parameters<typeof postedTask>[1] & { released?: boolean } = {},
): Promise<Job> {
  const job = await paidJob(server, task)
  const theo = await server.signedIn('theo')
  await theo.from('bookings').update({ status: 'completed' }).eq('id', job.bookingId).throwOnError()
  if (released) {
    const giver = await server.signedIn(job.giver)
    const release = { escrow_status: 'released', released_at: new Date().toISOString() }
    await giver.from('payments').update(release).eq('booking_id', job.bookingId).throwOnError()
  }
  return job
}

/** The payment provider answers the next `times` requests that begin with `matches` ("METHOD /v1/path") with 500. */
export async function providerFails(server: AppServer, matches: string, times: number): Promise<void> {
  const { secretKey } = sandboxStripeKeys(server.secretKey)
  const response = await fetch(`${server.url}/sandbox/stripe/faults`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}` },
    body: JSON.stringify({ matches, fault: 'error_before_acting', remaining: times }),
  })
  expect(response.status).toBe(200)
}

/** The bank decides the disputes of a payment, one by one, by the evidence that Stripe has for tests. */
export async function decideDisputes(server: AppServer, job: Job, evidence: string[]): Promise<void> {
  const payment = await paymentOf(server, job)
  const { secretKey } = sandboxStripeKeys(server.secretKey)
  const stripe = async (path: string, body?: URLSearchParams) => {
    const response = await fetch(`${server.url}/sandbox/stripe/v1/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${secretKey}` },
      ...(body ? { body } : {}),
    })
    expect(response.status).toBe(200)
    return response.json()
  }
  const { data } = await stripe(`disputes?payment_intent=${payment?.stripe_payment_intent_id}`)
  for (const [nth, text] of evidence.entries()) {
    const decided = new URLSearchParams({ 'evidence[uncategorized_text]': text, submit: 'true' })
    await stripe(`disputes/${data[nth].id}`, decided)
  }
}

/** A booking that is done and that its giver complains about; Theo has told his side when there is an `answer`. */
export async function complainedJob(
  server: AppServer,
  { answer, ...task }: Parameters<typeof postedTask>[1] & { answer?: string } = {},
): Promise<Job> {
  const job = await doneJob(server, task)
  const theo = await server.signedIn('theo')
  const giver = await server.signedIn(job.giver)
  const reason = 'The walk to the side door is still covered.'
  await giver.from('complaints').insert({ booking_id: job.bookingId, reason }).throwOnError()
  if (answer) await theo.from('complaints').update({ answer }).eq('booking_id', job.bookingId).throwOnError()
  return job
}

/** Sends a message of the booking through the API, as from another device. */
export async function say(
  server: AppServer,
  from: Job['giver'],
  to: Job['giver'],
  job: Job,
  message: string,
) {
  const client = await server.signedIn(from)
  const [sender, receiver] = await Promise.all(
    [client, await server.signedIn(to)].map(async (person) => (await person.auth.getUser()).data.user?.id),
  )
  await client
    .from('messages')
    .insert({ booking_id: job.bookingId, sender_id: sender, receiver_id: receiver, message })
    .throwOnError()
}

/** The payment of a booking as its giver reads it; null before there is one. */
export async function paymentOf(server: AppServer, { bookingId, giver }: Pick<Job, 'bookingId' | 'giver'>) {
  const client = await server.signedIn(giver)
  const { data } = await client
    .from('payments')
    .select()
    .eq('booking_id', bookingId)
    .maybeSingle()
    .throwOnError()
  return data
}

/** The ledger of a payment, by account, in dollars; Ada reads it. */
export async function ledgerOf(server: AppServer, paymentId: string): Promise<Record<string, number>> {
  const ada = await server.signedIn('ada')
  const { data } = await ada
    .from('ledger_entries')
    .select('account, amount')
    .eq('payment_id', paymentId)
    .throwOnError()
  const sums: Record<string, number> = {}
  for (const { account, amount } of data)
    sums[account] = Math.round(((sums[account] ?? 0) + amount) * 100) / 100
  return sums
}

/** The booking's card on /bookings. */
export function bookingCard(page: Page, { title }: Pick<Job, 'title'>) {
  return page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title, level: 2 }) })
}

/** The same on a phone, where it is a row until it is opened. */
export async function openBooking(page: Page, job: Pick<Job, 'title'>) {
  const card = bookingCard(page, job)
  const row = card.getByRole('heading', { level: 2 }).getByRole('button', { expanded: false })
  await row.click()
  return card
}

/** Chooses to pay with a card that is not saved, where saved ones are offered. */
export async function chooseAnotherCard(page: Page) {
  const dialog = page.getByRole('dialog', { name: 'Complete Payment' })
  const another = dialog.getByLabel('Another card')
  await expect(another.or(dialog.getByLabel('Card number')).first()).toBeVisible()
  if (await another.isVisible()) await another.check()
}

/** Types a card into the payment dialog: any future date and code will do. */
export async function enterCard(page: Page, number: string) {
  await chooseAnotherCard(page)
  const dialog = page.getByRole('dialog', { name: 'Complete Payment' })
  await dialog.getByLabel('Card number').fill(number)
  await dialog.getByLabel('Expiry date').fill('12 / 34')
  await dialog.getByLabel('Security code (CVC)').fill('123')
}
