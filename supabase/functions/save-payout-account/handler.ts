// Gives the caller's connected account a bank account (a token that their browser made of the numbers, which never come
// here) and, where asked, who they are. Opens the account first: one a person, however often and from however many tabs
// this is called. https://docs.stripe.com/connect/custom-accounts
import Stripe from 'stripe'
import { z } from 'zod'
import { currency, province } from '../../../marketplace.config.ts'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { type PayoutAccount, refreshAccount } from '../_shared/payout-account.ts'
import { coded, HttpError } from '../_shared/respond.ts'
import { stripeClient } from '../_shared/stripe.ts'
import { callAsService, callAsUser, type Environment } from '../_shared/supabase.ts'

type Prepared = {
  user_id: string
  account_id: string | null
  idempotency_key: string
  email: string | null
  phone: string | null
  legal_name: string | null
  date_of_birth: string | null
}

const text = (max: number) => z.string().trim().min(1, 'is required').max(max, `is at most ${max} characters`)

const person = z.object({
  firstName: text(100),
  lastName: text(100),
  dateOfBirth: z.iso.date('must be a date, year-month-day').optional(),
  address: text(200),
  city: text(100),
  postalCode: z
    .string()
    .trim()
    .regex(/^[A-Za-z]\d[A-Za-z][ -]?\d[A-Za-z]\d$/, 'must be a Canadian postal code'),
})
const body = jsonBody(
  z.object({
    /** Left out when the provider has a bank account that is good. */
    token: z
      .string()
      .regex(/^btok_\w{1,200}$/, 'must be a token of a bank account')
      .optional(),
    /** The payee; left out if the provider knows them. */
    person: person.optional(),
    /** The provider's agreement was accepted, just now. */
    termsAccepted: z.boolean().optional(),
  }),
)

/** https://docs.stripe.com/connect/setting-mcc: miscellaneous personal services. */
const BUSINESS = { mcc: '7299', product_description: 'Short local tasks, found and paid through Meadowlark' }

export default endpoint(
  { caller: 'user', body, failure: { code: 'payout_account.save_failed' } },
  async ({ body: given, request, env }) => {
    if (!given.token && !given.person) throw coded(400, 'payout_account.incomplete', { field: 'token' })
    const stripe = stripeClient(env)
    const known = await callAsUser<Prepared>(request, env, 'prepare_payout_account', {})
    const accountId = known.account_id ?? (await open(env, stripe, known))
    try {
      await stripe.accounts.update(accountId, {
        ...(given.token ? { external_account: given.token } : {}),
        ...(given.person ? { individual: individual(known, given.person) } : {}),
        ...(given.termsAccepted ? { tos_acceptance: acceptance(request) } : {}),
      })
    } catch (error) {
      throw asRefusal(error)
    }
    const account = await refreshAccount(env, stripe, accountId)
    if (!account) throw new Error(`the account ${accountId} of ${known.user_id} is nobody's`)
    return answered(account)
  },
)

/** Makes the account with what never differs, so that every try with the key is the same request. */
async function open(env: Environment, stripe: Stripe, known: Prepared): Promise<string> {
  const account = await stripe.accounts.create(
    {
      type: 'custom',
      country: province.country,
      default_currency: currency.code.toLowerCase(),
      business_type: 'individual',
      business_profile: BUSINESS,
      capabilities: { transfers: { requested: true } },
      metadata: { user_id: known.user_id },
    },
    { idempotencyKey: known.idempotency_key },
  )
  await callAsService(env, 'record_payout_account', {
    account,
    at: new Date(account.created ? account.created * 1000 : 0).toISOString(),
    owner: known.user_id,
  })
  return account.id
}

/** The verification's data take precedence over the form's. */
function individual(known: Prepared, given: z.output<typeof person>): Stripe.AccountUpdateParams.Individual {
  const born = known.date_of_birth ?? given.dateOfBirth
  if (!born) throw coded(400, 'verification.birth_date_required', { field: 'dateOfBirth' })
  const [year = 0, month = 0, day = 0] = born.split('-').map(Number)
  return {
    first_name: given.firstName,
    last_name: given.lastName,
    dob: { year, month, day },
    address: {
      line1: given.address,
      city: given.city,
      state: province.code,
      postal_code: given.postalCode.toUpperCase(),
      country: province.country,
    },
    ...(known.email ? { email: known.email } : {}),
  }
}

/** The acceptance of the agreement as the provider records it: time and address. */
function acceptance(request: Request): Stripe.AccountUpdateParams.TosAcceptance {
  const ip = request.headers.get('x-forwarded-for')?.split(',')[0]?.trim()
  if (!ip) throw new Error('nobody says from which address the terms were accepted: no X-Forwarded-For')
  const agent = request.headers.get('user-agent')
  return {
    date: Math.floor(Date.now() / 1000),
    ip,
    ...(agent ? { user_agent: agent.slice(0, 500) } : {}),
  }
}

/** Turns the provider's rejection into an error for the person. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) return error
  return new HttpError(400, error.message, { field: error.param })
}

function answered({ account_status, bank_last4, requirements }: PayoutAccount) {
  return { status: account_status, bankLast4: bank_last4, requirements }
}
