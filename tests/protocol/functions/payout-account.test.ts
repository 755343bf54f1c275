// Setting up where a tasker is paid: from the browser's token to money sent, whatever is called twice or at once.

import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bankAccount, fault, stripeFor } from '../../../packages/stripe-sandbox/tests/stripe-sdk.ts'
import { signedIn } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { becomes, complete, paidJob, release, soon } from './paid-job.ts'

let server: TestServer
let theo: SupabaseClient
beforeAll(async () => {
  server = await startTestServer()
  theo = await signedIn(server, 'theo')
})
afterAll(() => server.stop())

const person = {
  firstName: 'Theo',
  lastName: 'Tasker',
  dateOfBirth: '1990-02-01',
  address: '12 Elm St',
  city: 'Saskatoon',
  postalCode: 'S7K 1N1',
}

async function token(account_number = '000123456789'): Promise<string> {
  const { object: _, ...numbers } = bankAccount
  const stripe = stripeFor(server, 'publishable')
  return (await stripe.tokens.create({ bank_account: { ...numbers, account_number } })).id
}

/** The function's answer with its status. */
async function save(client: SupabaseClient, body: object) {
  const { data, error } = await client.functions.invoke('save-payout-account', { body })
  if (!error) return { status: 200, ...data }
  return { answered: error.context.status, ...(await error.context.json()) }
}

const accountsOf = async (userId: string) =>
  (
    await server.database.pool.query(
      `select id from sandbox.stripe_objects where object = 'account' and data -> 'metadata' ->> 'user_id' = $1`,
      [userId],
    )
  ).rows

describe('save-payout-account', () => {
  it('says what is wrong, and changes nothing', async () => {
    const cases: [object, string][] = [
      [{}, 'Please fill in all bank account fields'],
      [{ token: '000123456789' }, 'token: must be a token of a bank account'],
      [
        { token: await token(), person: { ...person, postalCode: '90210' } },
        'must be a Canadian postal code',
      ],
      [{ token: await token(), person: { ...person, dateOfBirth: 'May' } }, 'must be a date'],
    ]
    for (const [body, message] of cases) {
      const answer = await save(theo, body)
      expect([answer.answered, answer.error]).toEqual([400, expect.stringContaining(message)])
    }
    expect((await theo.from('payout_accounts').select()).data).toEqual([])
    const grace = await signedIn(server, 'grace')
    expect(await save(grace, { token: await token() })).toMatchObject({
      answered: 403,
      error: 'Only taskers are paid out',
      code: 'payout_account.only_taskers',
    })
    const stranger = createClient(server.url, server.publishableKey, { auth: { persistSession: false } })
    expect((await save(stranger, { token: await token() })).answered).toBe(401)
  })

  it('opens one account from many tabs and through lost answers, and sends what waited', async () => {
    const job = await paidJob(server)
    await complete(job)
    await release(job)
    await becomes(server, job, { payout_status: 'waiting' })
    await fault(server, 'POST /v1/accounts', 'timeout_after_acting')
    const answers = await Promise.all(
      [1, 2, 3].map(async () => save(theo, { token: await token(), person, termsAccepted: true })),
    )
    expect(answers.some((answer) => answer.status === 'active')).toBe(true)
    const userId = String((await theo.auth.getUser()).data.user?.id)
    expect(await accountsOf(userId)).toHaveLength(1)
    const { data } = await theo.from('payout_accounts').select().single().throwOnError()
    expect(data).toMatchObject({ account_status: 'active', bank_last4: '6789', requirements: [] })
    await becomes(server, job, { payout_status: 'sent' })
    const account = await stripeFor(server).accounts.retrieve(data.stripe_account_id)
    expect(account.tos_acceptance).toMatchObject({ ip: '127.0.0.1' })
    expect(account.individual?.dob).toEqual({ day: 1, month: 2, year: 1990 })
  })

  it('asks for what the provider still wants and shows the way to give it', async () => {
    const wrong = { ...person, address: 'address_no_match' }
    expect(await save(theo, { token: await token(), person: wrong })).toMatchObject({
      status: 'restricted',
      requirements: ['individual.address.line1'],
    })
    const { data } = await theo.functions.invoke('continue-payout-setup', {
      body: { returnTo: `${server.url}/profile?tab=payout` },
    })
    expect((await fetch(data.url, { method: 'POST', redirect: 'manual' })).headers.get('location')).toBe(
      `${server.url}/profile?tab=payout`,
    )
    const status = async () =>
      (await theo.from('payout_accounts').select('account_status').single().throwOnError()).data
        .account_status
    await expect.poll(status, soon).toBe('active')
    const script = await theo.functions.invoke('continue-payout-setup', {
      body: { returnTo: 'javascript:alert(1)' },
    })
    expect(script.error.context.status).toBe(400)
  })

  it('says when the provider refuses a token', async () => {
    const used = await token()
    await save(theo, { token: used })
    expect(await save(theo, { token: used })).toMatchObject({ answered: 400, field: 'external_account' })
  })
})

it('a payout that the bank sends back says so in our words, and goes to another bank once there is one', async () => {
  const deposits = async () =>
    (
      await theo
        .from('payouts')
        .select('status, amount, bank_last4, failure_code')
        .order('created_at', { ascending: false })
        .throwOnError()
    ).data
  expect(await save(theo, { token: await token('000111111113') })).toMatchObject({ bankLast4: '1113' })
  const job = await paidJob(server, { amount: 100, card: 'pm_card_bypassPending' })
  await complete(job)
  await release(job)
  await becomes(server, job, { payout_status: 'sent' })
  await expect
    .poll(deposits, soon)
    .toContainEqual(
      expect.objectContaining({ status: 'failed', failure_code: 'account_closed', bank_last4: '1113' }),
    )
  const { data: notices } = await theo
    .from('notifications')
    .select('message, link')
    .eq('key', 'payout_returned')
    .throwOnError()
  expect(notices).toEqual([
    {
      message: expect.stringMatching(
        /came back: The bank account has been closed\. Please update your bank details\./,
      ),
      link: '/profile?tab=payout',
    },
  ])

  expect(await save(theo, { token: await token() })).toMatchObject({ bankLast4: '6789' })
  await expect
    .poll(deposits, soon)
    .toContainEqual(expect.objectContaining({ status: 'paid', bank_last4: '6789' }))
})
