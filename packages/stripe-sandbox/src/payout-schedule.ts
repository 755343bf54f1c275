// When a connected account's balance goes to its bank: as soon as the money is available, by a job, where Stripe's
// schedule sends it once a day. https://docs.stripe.com/connect/manage-payout-schedule
import type { Session } from './store.ts'

/** Sends what the account has from that moment on (seconds since 1970) to its bank. */
export function schedulePayout(session: Session, account: string, availableOn: number): Promise<void> {
  const later = availableOn > session.now ? { runAt: new Date(availableOn * 1000) } : {}
  return session.jobs.enqueue(session.client, 'send_stripe_payouts', { account }, later)
}

/** Lets the bank answer to a payout. */
export function scheduleArrival(session: Session, payout: string): Promise<void> {
  return session.jobs.enqueue(session.client, 'settle_stripe_payout', { payout })
}
