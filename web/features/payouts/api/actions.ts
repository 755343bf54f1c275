// Saving where a tasker is paid, and going on where the payment provider wants more (specification 001 §7).

import { invokeFunction } from '../../../lib/functions.ts'
import { paths } from '../../../lib/paths.ts'
import type { Action } from '../../../ui/useAction.ts'
import type { Asked, BankForm } from '../schema.ts'
import { createBankToken } from './bankToken.ts'

/** Query keys that show a payout account or its payouts. */
const PAYOUT_KEYS = [['payout-account'], ['payouts'], ['payments'], ['bookings']]

export type Saved = { status: 'active' | 'pending' | 'restricted'; requirements: string[] }

export const savePayoutAccount = (asked: Asked): Action<BankForm, Saved> => ({
  invalidates: PAYOUT_KEYS,
  // The provider may have taken a part of it.
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
  run: async (form) => {
    const { institution, transit, account, firstName, lastName } = form
    const token = asked.bank
      ? await createBankToken({ institution, transit, account, holder: `${firstName} ${lastName}`.trim() })
      : undefined
    const person = {
      firstName,
      lastName,
      address: form.address,
      city: form.city,
      postalCode: form.postalCode,
      ...(asked.dateOfBirth ? { dateOfBirth: form.dateOfBirth } : {}),
    }
    return invokeFunction<Saved>('save-payout-account', {
      ...(token ? { token } : {}),
      ...(asked.person ? { person } : {}),
      ...(asked.terms ? { termsAccepted: true } : {}),
    })
  },
})

/** Leaves for the provider's own page where it wants more; otherwise what is shown is read again. */
export const continuePayoutSetup: Action = {
  invalidates: PAYOUT_KEYS,
  run: async () => {
    const returnTo = new URL(`${paths.profile}?tab=payout`, location.origin).href
    const { url } = await invokeFunction<{ url: string | null }>('continue-payout-setup', { returnTo })
    if (url) location.assign(url)
  },
}
