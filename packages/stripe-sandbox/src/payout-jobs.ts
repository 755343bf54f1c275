// The jobs behind payouts: the schedule that sends a balance to its bank, and the bank's answer.
import type { TaskHandler } from '@meadowlark/server/jobs/task.ts'
import type { StripeDeps } from './api.ts'
import { StripeFailure } from './errors.ts'
import { newId } from './objects.ts'
import { sendBalance, settlePayout } from './payouts.ts'
import { type Session, serverSession } from './store.ts'

/** `send_stripe_payouts` {account} and `settle_stripe_payout` {payout}. */
export function payoutTasks(deps: StripeDeps): Record<string, TaskHandler<never>> {
  const inSession = (work: (session: Session) => Promise<void>) =>
    deps.database
      .transaction((client) => work(serverSession(deps, client, newId('req', 14))))
      .catch((error) => {
        // The account was deleted meanwhile: there is nothing to do any more.
        if (!(error instanceof StripeFailure)) throw error
      })
  return {
    send_stripe_payouts: ({ account }: { account: string }) =>
      inSession((session) => sendBalance(session, account)),
    settle_stripe_payout: ({ payout }: { payout: string }) =>
      inSession((session) => settlePayout(session, payout)),
  }
}
