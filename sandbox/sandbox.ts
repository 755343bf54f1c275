// What stands in for the world outside until real credentials are set: Stripe's API, and an inbox for mail and SMS.
// Mounted at /sandbox; never made in production.
import { Hono } from 'hono'
import { createInbox } from './inbox/inbox.ts'
import { createStripeApi, type StripeDeps } from './stripe/api.ts'
import { createAuthentication } from './stripe/authenticate.ts'
import { deliveryTask } from './stripe/webhooks.ts'

export type SandboxDeps = Omit<StripeDeps, 'apiVersion'> & {
  /** Which parts stand in; a part that is off answers 404. */
  parts: { stripe: boolean; inbox: boolean }
}

/** Makes the sandbox and registers its jobs: call before the jobs start. */
export function createSandbox({ parts, ...deps }: SandboxDeps): { app: Hono } {
  const app = new Hono()
  if (parts.inbox) app.route('/', createInbox(deps.database))
  if (parts.stripe) {
    deps.jobs.register('deliver_stripe_event', deliveryTask(deps.database.pool, deps.endpoint))
    const stripe = { ...deps, apiVersion: '2026-10-28.endive' }
    app.route('/stripe/authenticate', createAuthentication(stripe))
    app.route('/stripe', createStripeApi(stripe))
  }
  return { app }
}
