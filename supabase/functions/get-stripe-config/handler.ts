// Answers {publishableKey}, with which the browser talks to the payment provider, and {apiUrl} when test payments
// go to a stand-in instead.
import { preflight, Refusal, refuse, respond } from '../_shared/respond.ts'
import type { Environment } from '../_shared/supabase.ts'

/** Takes no body. 503 'Publishable key not found' when payments are not set up. */
export default async function handler(request: Request, env: Environment): Promise<Response> {
  if (request.method === 'OPTIONS') return preflight()
  if (!env.STRIPE_PUBLISHABLE_KEY) return refuse(new Refusal(503, 'Publishable key not found'))
  return respond(200, {
    publishableKey: env.STRIPE_PUBLISHABLE_KEY,
    // A path and not an address: the browser reaches the stand-in under the name by which it knows this server.
    ...(env.STRIPE_API_URL ? { apiUrl: new URL(env.STRIPE_API_URL).pathname } : {}),
  })
}
