// The page on which a payer "authenticates" a card, in place of the bank's: https://docs.stripe.com/payments/3d-secure.
// The web client opens it in a frame or goes there; both ends lead back with the intent's new status.

import { json, redirect } from '@meadowlark/server/http/answer.ts'
import type { RequestContext } from '@meadowlark/server/http/request-context.ts'
import type { Route } from '@meadowlark/server/http/route.ts'
import { page } from '@meadowlark/server/http/sandbox-page.ts'
import { html } from 'hono/html'
import { answerBody } from './answer.ts'
import type { StripeDeps } from './api.ts'
import { authenticateIntent } from './attempt.ts'
import { invalidRequest, StripeFailure } from './errors.ts'
import { newId, type PaymentIntent, type SetupIntent } from './objects.ts'
import { authenticateSetup } from './setup-intents.ts'
import { lookUp, type Session, serverSession } from './store.ts'

type Intent = PaymentIntent | SetupIntent

/** Bytes of the form that the page sends. */
const MAX_FORM_BYTES = 16 * 1024

const CSS = `
main{max-width:26rem;margin:0 auto;padding:2.5rem 1.25rem;display:grid;gap:1.25rem}
.amount{font-size:2rem;font-weight:700;font-variant-numeric:tabular-nums;letter-spacing:-.02em}
.card{background:var(--surface);border:1px solid var(--line);border-radius:16px;padding:1.25rem;display:grid;gap:.25rem}
.card p{color:var(--soft)}
.actions{display:flex;flex-wrap:wrap;gap:.75rem}
`

/** GET shows the page, POST {client_secret, outcome: 'complete' | 'fail'} takes the answer. */
export function authenticationRoutes(deps: StripeDeps): Route[] {
  const route = { path: '/authenticate/:id', access: 'public' } as const
  return [
    { ...route, method: 'GET', handler: (request) => show(deps, request) },
    { ...route, method: 'POST', body: MAX_FORM_BYTES, handler: (request) => answer(deps, request) },
  ]
}

async function show(deps: StripeDeps, { params, query }: RequestContext) {
  const secret = query.get('client_secret') ?? undefined
  const intent = await asIntent(deps, params.id, secret, async (_session, found) => found)
  if (intent instanceof StripeFailure) return notFound(intent)
  if (intent.status !== 'requires_action') return done(intent)
  const amount = 'amount' in intent ? money(Number(intent.amount), String(intent.currency)) : null
  return page({
    title: 'Confirm your card',
    css: CSS,
    body: html`<div class="bar">Test mode. No real card is charged.</div>
<main>
  <h1>Confirm it is you</h1>
  <div class="card">
    ${amount ? html`<p>Payment to Meadowlark</p><div class="amount">${amount}</div>` : html`<p>Saving a card with Meadowlark</p>`}
  </div>
  <p>Your bank would now ask you to confirm this. Choose what your bank should answer.</p>
  <form class="actions" method="post" action="${intent.id}">
    <input type="hidden" name="client_secret" value="${intent.client_secret}">
    <button class="button primary" name="outcome" value="complete">Complete authentication</button>
    <button class="button" name="outcome" value="fail">Fail authentication</button>
  </form>
</main>`,
  })
}

async function answer(deps: StripeDeps, { params, headers, text }: RequestContext) {
  const form = new URLSearchParams(text)
  const outcome = form.get('outcome') ?? ''
  const wantsJson = headers.accept?.includes('application/json') ?? false
  const secret = form.get('client_secret') ?? ''
  const result = await asIntent(deps, params.id, secret, async (session, found) => {
    if (outcome !== 'complete' && outcome !== 'fail') {
      throw invalidRequest('Invalid outcome: must be complete or fail', { param: 'outcome' })
    }
    const changed =
      found.object === 'payment_intent'
        ? await authenticateIntent(session, found.id, outcome === 'complete')
        : await authenticateSetup(session, found.id, outcome === 'complete')
    const returnUrl = (found.next_action?.redirect_to_url as { return_url?: string } | undefined)?.return_url
    return { changed, returnUrl, shown: await answerBody(session, changed) }
  })
  if (result instanceof StripeFailure) {
    return wantsJson ? json({ error: result.body }, result.status) : notFound(result)
  }
  if (wantsJson) return json(result.shown)
  if (!result.returnUrl) return done(result.changed)
  return redirect(returnAddress(result.returnUrl, result.changed))
}

/** Runs `work` on the intent whose client secret the caller knows; anything wrong comes back as the failure. */
async function asIntent<T>(
  deps: StripeDeps,
  id: string | undefined,
  clientSecret: string | undefined,
  work: (session: Session, intent: Intent) => Promise<T>,
): Promise<T | StripeFailure> {
  try {
    return await deps.database.transaction(async (client) => {
      const session = serverSession(deps, client, newId('req', 14))
      const found = id && /^\w{1,100}$/.test(id) ? await lookUp(session, id) : undefined
      const isIntent = found?.object === 'payment_intent' || found?.object === 'setup_intent'
      if (!isIntent || found.client_secret !== clientSecret) {
        throw invalidRequest('No such payment, or the link to it is not whole.', {}, 404)
      }
      return work(session, found as Intent)
    })
  } catch (error) {
    if (error instanceof StripeFailure) return error
    throw error
  }
}

function done(intent: Intent) {
  const succeeded = intent.status === 'succeeded'
  return page({
    title: succeeded ? 'Card confirmed' : 'Card not confirmed',
    css: CSS,
    // Tells the page that opened this one in a frame, only on the same origin.
    script: `parent!==window&&parent.postMessage({type:'card-authentication',id:${JSON.stringify(intent.id)},status:${JSON.stringify(intent.status)}},location.origin)`,
    body: html`<div class="bar">Test mode. No real card is charged.</div>
<main>
  <h1>${succeeded ? 'Card confirmed' : 'Card not confirmed'}</h1>
  <p>${succeeded ? 'You can go back to Meadowlark now.' : 'Go back to Meadowlark to try again or choose another card.'}</p>
</main>`,
  })
}

function notFound(failure: StripeFailure) {
  return page({
    status: failure.status,
    title: 'Nothing to confirm',
    css: CSS,
    body: html`<main><h1>Nothing to confirm</h1><p>${failure.message}</p></main>`,
  })
}

function returnAddress(returnUrl: string, intent: Intent): string {
  const url = new URL(returnUrl)
  const { object, id, client_secret } = intent
  url.searchParams.set(object, id)
  url.searchParams.set(`${object}_client_secret`, client_secret)
  url.searchParams.set('redirect_status', intent.status === 'succeeded' ? 'succeeded' : 'failed')
  return url.href
}

function money(cents: number, currency: string): string {
  return new Intl.NumberFormat('en-CA', { style: 'currency', currency: currency.toUpperCase() }).format(
    cents / 100,
  )
}
