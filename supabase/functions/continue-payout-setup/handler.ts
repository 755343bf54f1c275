// The next step of a payout account: reads what the provider still requires and, where the person must give it there,
// answers {url} of the provider's own page. https://docs.stripe.com/connect/custom/hosted-onboarding
import { z } from 'zod'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { refreshAccount } from '../_shared/payout-account.ts'
import { coded } from '../_shared/respond.ts'
import { stripeClient } from '../_shared/stripe.ts'
import { callAsUser } from '../_shared/supabase.ts'

const body = jsonBody(
  z.object({
    /** Where the provider's page leads back to: the screen that asked. */
    returnTo: z.url({ protocol: /^https?$/, error: 'must be a web address' }),
  }),
)

export default endpoint(
  {
    caller: 'user',
    body,
    failure: { code: 'payment.provider_unavailable' },
  },
  async ({ body: { returnTo }, request, env }) => {
    const stripe = stripeClient(env)
    const { account_id } = await callAsUser<{ account_id: string | null }>(
      request,
      env,
      'prepare_payout_account',
      {},
    )
    if (!account_id) throw coded(400, 'payout_account.incomplete')
    const account = await refreshAccount(env, stripe, account_id)
    if (!account) throw new Error(`the account ${account_id} is not known any more`)
    if (account.requirements.length === 0) return { url: null, status: account.account_status }
    const link = await stripe.accountLinks.create({
      account: account_id,
      type: 'account_onboarding',
      collection_options: { fields: 'currently_due' },
      refresh_url: returnTo,
      return_url: returnTo,
    })
    return { url: link.url, status: account.account_status }
  },
)
