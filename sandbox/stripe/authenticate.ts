// The page on which a payer "authenticates" a card, in place of the bank's: https://docs.stripe.com/payments/3d-secure.
// The web client opens it in a frame or goes there; both ends lead back with the intent's new status.
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { bodyLimit } from '../../server/http/body-limit.ts'
import { page } from '../page.ts'
import { answerBody } from './answer.ts'
import type { StripeDeps } from './api.ts'
import { authenticateIntent } from './attempt.ts'
import { invalidRequest, StripeFailure } from './errors.ts'
import { newId, nowSeconds, type PaymentIntent, type SetupIntent } from './objects.ts'
import { authenticateSetup } from './setup-intents.ts'
import { lookUp, type Session } from './store.ts'

type Intent = PaymentIntent | SetupIntent

/** Bytes of the form that the page sends. */
const LARGEST_FORM = 16 * 1024

const css = `
main{max-width:26rem;margin:0 auto;padding:2.5rem 1.25rem;display:grid;gap:1.25rem}
.amount{font-size:2rem;font-weight:700;font-variant-numeric:tabular-nums;letter-spacing:-.02em}
.slip{background:var(--surface);border:1px solid var(--line);border-radius:16px;padding:1.25rem;display:grid;gap:.25rem}
.slip p{color:var(--soft)}
.acts{display:flex;flex-wrap:wrap;gap:.75rem}
`

/** GET shows the page, POST {client_secret, outcome: 'complete' | 'fail'} takes the answer. */
export function createAuthentication(deps: StripeDeps): Hono {
  const app = new Hono()
  app.use(
    bodyLimit({
      bodies: deps.bodies,
      maxSize: LARGEST_FORM,
      refuse: (c, { message, status }) => c.text(message, status),
    }),
  )

  app.get('/:id', async (c) => {
    const intent = await asIntent(deps, c, c.req.query('client_secret'), async (_session, found) => found)
    if (intent instanceof StripeFailure) return notFound(c, intent)
    if (intent.status !== 'requires_action') return done(c, intent)
    const amount = 'amount' in intent ? money(Number(intent.amount), String(intent.currency)) : null
    return page(c, {
      title: 'Confirm your card',
      css,
      body: html`<div class="bar">Test mode. No real card is charged.</div>
<main>
  <h1>Confirm it is you</h1>
  <div class="slip">
    ${amount ? html`<p>Payment to Meadowlark</p><div class="amount">${amount}</div>` : html`<p>Saving a card with Meadowlark</p>`}
  </div>
  <p>Your bank would now ask you to confirm this. Choose what your bank should answer.</p>
  <form class="acts" method="post" action="${intent.id}">
    <input type="hidden" name="client_secret" value="${intent.client_secret}">
    <button class="button primary" name="outcome" value="complete">Complete authentication</button>
    <button class="button" name="outcome" value="fail">Fail authentication</button>
  </form>
</main>`,
    })
  })

  app.post('/:id', async (c) => {
    const form = await c.req.parseBody()
    const outcome = String(form.outcome ?? '')
    const wantsJson = c.req.header('accept')?.includes('application/json') ?? false
    const result = await asIntent(deps, c, String(form.client_secret ?? ''), async (session, found) => {
      if (outcome !== 'complete' && outcome !== 'fail') {
        throw invalidRequest('Invalid outcome: must be complete or fail', { param: 'outcome' })
      }
      const changed =
        found.object === 'payment_intent'
          ? await authenticateIntent(session, found.id, outcome === 'complete')
          : await authenticateSetup(session, found.id, outcome === 'complete')
      const returnUrl = (found.next_action?.redirect_to_url as { return_url?: string } | undefined)
        ?.return_url
      return { changed, returnUrl, shown: await answerBody(session, changed) }
    })
    if (result instanceof StripeFailure) {
      return wantsJson ? c.json({ error: result.body }, result.status as 400) : notFound(c, result)
    }
    if (wantsJson) return c.json(result.shown)
    if (!result.returnUrl) return done(c, result.changed)
    return c.redirect(returnAddress(result.returnUrl, result.changed), 303)
  })

  return app
}

/** Runs `work` on the intent whose client secret the caller knows; anything wrong comes back as the failure. */
async function asIntent<T>(
  deps: StripeDeps,
  c: Context,
  clientSecret: string | undefined,
  work: (session: Session, intent: Intent) => Promise<T>,
): Promise<T | StripeFailure> {
  const id = c.req.param('id') ?? ''
  try {
    return await deps.database.transaction(async (client) => {
      const session: Session = {
        client,
        jobs: deps.jobs,
        origin: deps.origin(),
        now: nowSeconds(),
        key: 'publishable',
        account: null,
        requestId: newId('req', 14),
        idempotencyKey: null,
        apiVersion: deps.apiVersion,
        deliver: { copies: 1, delay: 0 },
        events: [],
      }
      const found = /^\w{1,100}$/.test(id) ? await lookUp(session, id) : undefined
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

function done(c: Context, intent: Intent) {
  const succeeded = intent.status === 'succeeded'
  return page(c, {
    title: succeeded ? 'Card confirmed' : 'Card not confirmed',
    css,
    // Tells the page that opened this one in a frame, of our own origin only.
    script: `parent!==window&&parent.postMessage({type:'card-authentication',id:${JSON.stringify(intent.id)},status:${JSON.stringify(intent.status)}},location.origin)`,
    body: html`<div class="bar">Test mode. No real card is charged.</div>
<main>
  <h1>${succeeded ? 'Card confirmed' : 'Card not confirmed'}</h1>
  <p>${succeeded ? 'You can go back to Meadowlark now.' : 'Go back to Meadowlark to try again or choose another card.'}</p>
</main>`,
  })
}

function notFound(c: Context, failure: StripeFailure) {
  c.status(failure.status as 404)
  return page(c, {
    title: 'Nothing to confirm',
    css,
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
