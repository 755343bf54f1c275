// What stands in for the world outside until real credentials are set: Stripe's API, and an inbox for mail and SMS.
// Mounted at /sandbox; never made in production.
import type { Route, Service } from '../server/http/route.ts'
import { inboxRoutes } from './inbox/inbox.ts'
import { createStripeApi, type StripeDeps, stripeControlRoutes, stripeError } from './stripe/api.ts'
import { authenticationRoutes } from './stripe/authenticate.ts'
import { onboardingRoutes } from './stripe/onboarding.ts'
import { payoutTasks } from './stripe/payout-jobs.ts'
import { receiptRoutes } from './stripe/receipts.ts'
import { deliveryTask } from './stripe/webhooks.ts'

export type SandboxDeps = Omit<StripeDeps, 'apiVersion'> & {
  /** Which parts stand in; a part that is off answers 404. */
  parts: { stripe: boolean; inbox: boolean }
}

/** Makes the sandbox and registers its jobs: call before the jobs start. */
export function createSandbox({ parts, ...deps }: SandboxDeps): Service[] {
  const routes: Route[] = parts.inbox ? inboxRoutes(deps.database) : []
  const services: Service[] = [
    { name: 'sandbox', mount: '/sandbox', cors: null, routes, errorAnswer: stripeError },
  ]
  if (parts.stripe) {
    deps.jobs.register('deliver_stripe_event', deliveryTask(deps.database.pool, deps.endpoint))
    const stripe = { ...deps, apiVersion: '2026-10-28.endive' }
    for (const [name, handler] of Object.entries(payoutTasks(stripe))) deps.jobs.register(name, handler)
    routes.push(
      ...authenticationRoutes(stripe),
      ...onboardingRoutes(stripe),
      ...receiptRoutes(stripe),
      ...stripeControlRoutes(stripe),
    )
    services.push(createStripeApi(stripe))
  }
  return services
}
