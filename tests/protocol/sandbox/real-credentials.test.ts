// Where the stand-ins for Stripe, mail and SMS are off.
import { expect, it } from 'vitest'
import { startTestServer } from '../../support/server.ts'

it('answers nothing once real credentials are set, nor in production', async () => {
  const stripe = {
    STRIPE_SECRET_KEY: 'sk_live_1',
    STRIPE_PUBLISHABLE_KEY: 'pk_live_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
  }
  for (const options of [{ env: stripe }, { production: true, env: { SITE_URL: 'http://localhost:1' } }]) {
    const other = await startTestServer(options)
    try {
      expect((await fetch(`${other.url}/sandbox/stripe/v1/balance`)).status).toBe(404)
      const inbox = await fetch(`${other.url}/sandbox/inbox.json`)
      expect(inbox.status).toBe(options.production ? 404 : 200)
    } finally {
      await other.stop()
    }
  }
})
