// Answers {publishableKey}, with which the browser talks to the payment provider, and {apiUrl} when test payments
// go to a stand-in instead. 503 'Publishable key not found' when payments are not set up.
import { endpoint, noBody } from '../_shared/endpoint.ts'
import { coded } from '../_shared/respond.ts'

export default endpoint(
  { caller: 'anyone', body: noBody, failure: { code: 'payment.publishable_key_missing' } },
  ({ env: { STRIPE_PUBLISHABLE_KEY, STRIPE_API_URL } }) => {
    if (!STRIPE_PUBLISHABLE_KEY) throw coded(503, 'payment.publishable_key_missing')
    return {
      publishableKey: STRIPE_PUBLISHABLE_KEY,
      // A path and not an address: the browser reaches the stand-in under the name by which it knows this server.
      ...(STRIPE_API_URL ? { apiUrl: new URL(STRIPE_API_URL).pathname } : {}),
    }
  },
)
