// Removes what is kept outside of the database of somebody who has left: their files, and their account at the
// payment provider. Called by the effect that the deletion queues, again and again until it is done; each step may be repeated.
import Stripe from 'stripe'
import { z } from 'zod'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { removeFiles, type StoredFile } from '../_shared/files.ts'
import { stripeClient } from '../_shared/stripe.ts'
import { callAsService } from '../_shared/supabase.ts'

const body = jsonBody(
  z.object({
    person: z.uuid('must be the id of a person'),
    /** Where the provider pays them; null where there is none. A separate effect closes their customer record. */
    account: z.string().startsWith('acct_').nullish(),
  }),
)

/** The maximum number of files that the storage service removes in one call. */
const MAX_FILES = 500

export default endpoint(
  { caller: 'secret', body, failure: 'Not everything of the account could be removed' },
  async ({ body: { person, account }, env }) => {
    const files = await removeFiles(env, () =>
      callAsService<StoredFile[]>(env, 'files_of_person', { person, max_files: MAX_FILES }),
    )
    // Refused while there is a balance: then it is tried again. https://docs.stripe.com/api/accounts/delete
    if (account) await removed(() => stripeClient(env).accounts.del(account))
    return { files }
  },
)

/** https://docs.stripe.com/error-codes */
const GONE = ['resource_missing', 'account_invalid']

/** Ignores that the provider no longer knows the object: it is gone already. */
async function removed(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove()
  } catch (error) {
    const gone = error instanceof Stripe.errors.StripeError && GONE.includes(error.code ?? '')
    if (!gone) throw error
  }
}
