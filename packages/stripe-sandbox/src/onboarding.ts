// The page that an account link leads to, in place of Stripe's own onboarding: it shows what is still due and gives test
// values for all of it. https://docs.stripe.com/connect/custom/hosted-onboarding

import { redirect } from '@meadowlark/server/http/answer.ts'
import type { RequestContext } from '@meadowlark/server/http/request-context.ts'
import type { Route } from '@meadowlark/server/http/route.ts'
import { page } from '@meadowlark/server/http/sandbox-page.ts'
import { html } from 'hono/html'
import { type AccountLink, LINK_SECONDS } from './account-links.ts'
import { livingAccount, updateAccount } from './accounts.ts'
import type { StripeDeps } from './api.ts'
import { StripeFailure } from './errors.ts'
import { type Account, newId } from './objects.ts'
import { type Session, save, serverSession, take } from './store.ts'

const MAX_FORM_BYTES = 4 * 1024

/** GET shows what is still due, POST gives all of it with test values and leads back. */
export function onboardingRoutes(deps: StripeDeps): Route[] {
  const route = { path: '/onboarding/:id', access: 'public' } as const
  return [
    { ...route, method: 'GET', handler: (request) => open(deps, request, show) },
    { ...route, method: 'POST', body: MAX_FORM_BYTES, handler: (request) => open(deps, request, complete) },
  ]
}

type Opened = { session: Session; link: AccountLink; account: Account }

async function open(
  deps: StripeDeps,
  { params }: RequestContext,
  then: (opened: Opened) => Promise<Awaited<ReturnType<typeof page>>>,
) {
  try {
    return await deps.database.transaction(async (client) => {
      const session = serverSession(deps, client, newId('req', 14))
      const id = /^\w{1,100}$/.test(params.id ?? '') ? String(params.id) : ''
      const link = await take<AccountLink>(session, 'account_link', id)
      if (link.used || Number(link.created) + LINK_SECONDS < session.now) return redirect(link.refresh_url)
      return then({ session, link, account: await livingAccount(session, link.account) })
    })
  } catch (error) {
    if (!(error instanceof StripeFailure)) throw error
    return page({
      status: 404,
      title: 'Nothing to fill in',
      body: html`<main><h1>Nothing to fill in</h1><p>This link is not whole, or the account is gone.</p></main>`,
    })
  }
}

function show({ link, account }: Opened) {
  const { currently_due } = account.requirements as { currently_due: string[] }
  return page({
    title: 'Details for payouts',
    css: 'main{max-width:30rem;margin:0 auto;padding:2.5rem 1.25rem;display:grid;gap:1.25rem}li{overflow-wrap:anywhere}',
    body: html`<div class="bar">Test mode. Nobody checks these details.</div>
<main>
  <h1>Details for payouts</h1>
  <p>The payment provider would ask you here for:</p>
  <ul>${currently_due.map((name) => html`<li>${name}</li>`)}</ul>
  <form method="post" action="${link.id}">
    <button class="button primary">Give test details</button>
  </form>
</main>`,
  })
}

/** Test values for whatever may be due, the bank account left out where there is a good one. */
async function complete({ session, link, account }: Opened) {
  const individual = (account.individual ?? {}) as Record<string, string>
  const hasBank = account.external_accounts.data.some(({ status }) => status !== 'errored')
  await updateAccount(session, account.id, {
    business_type: 'individual',
    business_profile: { mcc: '7299', product_description: 'Local tasks' },
    individual: {
      first_name: individual.first_name ?? 'Test',
      last_name: individual.last_name ?? 'Person',
      dob: { day: 1, month: 1, year: 1901 },
      address: { line1: 'address_full_match', city: 'Saskatoon', state: 'SK', postal_code: 'S7K 1N1' },
      id_number: '000000000',
    },
    tos_acceptance: { date: session.now, ip: '127.0.0.1' },
    ...(hasBank
      ? {}
      : {
          external_account: {
            object: 'bank_account' as const,
            country: 'CA',
            currency: 'cad',
            routing_number: '11000-000',
            account_number: '000123456789',
          },
        }),
  })
  await save<AccountLink>(session, { ...link, used: true })
  return redirect(link.return_url)
}
