// The services of the sandbox: Stripe's API at /sandbox/stripe/v1, and the pages that Stripe would show at /sandbox/stripe.
import type { Route, Service } from '@meadowlark/server/http/route.ts'
import { createStripeApi, type StripeDeps, stripeControlRoutes, stripeError } from './api.ts'
import { authenticationRoutes } from './authenticate.ts'
import { onboardingRoutes } from './onboarding.ts'
import { payoutTasks } from './payout-jobs.ts'
import { receiptRoutes } from './receipts.ts'
import { deliveryTask } from './webhooks.ts'

export type SandboxDeps = Omit<StripeDeps, 'apiVersion'> & {
  /** Also answer at /v1, where the official SDK asks a host that it is given. */
  atRoot?: boolean
}

const PAGES = '/sandbox/stripe'
/** The version of Stripe's API whose objects and events the sandbox imitates. */
const API_VERSION = '2026-10-28.endive'

/** Makes the sandbox and registers its jobs: call before the jobs start. */
export function createSandbox({ atRoot = false, ...deps }: SandboxDeps): Service[] {
  const stripe = { ...deps, apiVersion: API_VERSION }
  deps.jobs.register('deliver_stripe_event', deliveryTask(deps.database.pool, deps.endpoint))
  for (const [name, handler] of Object.entries(payoutTasks(stripe))) deps.jobs.register(name, handler)
  const routes: Route[] = [
    ...authenticationRoutes(stripe),
    ...onboardingRoutes(stripe),
    ...receiptRoutes(stripe),
    ...stripeControlRoutes(stripe),
  ]
  const pages = { name: 'sandbox', mount: PAGES, cors: null, routes, errorAnswer: stripeError }
  return [pages, createStripeApi(stripe, `${PAGES}/v1`), ...(atRoot ? [createStripeApi(stripe, '/v1')] : [])]
}
