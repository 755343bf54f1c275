// Removes what is kept outside of the database of somebody who has left: their files, and their account at the
// payment provider. Called by the effect that the deletion queues, again and again until it is done; each step may be repeated.
import Stripe from 'stripe'
import { z } from 'zod'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { stripeClient } from '../_shared/stripe.ts'
import { callAsService, type Environment, storageAsService } from '../_shared/supabase.ts'

const body = jsonBody(
  z.object({
    person: z.uuid('must be the id of a person'),
    /** Where the provider pays them; null where there is none. The customer that they are is closed by an effect of its own. */
    account: z.string().startsWith('acct_').nullish(),
  }),
)

/** What the storage service removes in one call. */
const MAX_FILES = 500

type StoredFile = { bucket_id: string; name: string }

export default endpoint(
  { caller: 'secret', body, failure: 'Not everything of the account could be removed' },
  async ({ body: { person, account }, env }) => {
    const files = await removeFiles(env, person)
    // Refused while there is a balance: then it is tried again. https://docs.stripe.com/api/accounts/delete
    if (account) await removed(() => stripeClient(env).accounts.del(account))
    return { files }
  },
)

/** By the storage service, so that the bytes go with the rows. Answers how many there were. */
async function removeFiles(env: Environment, person: string): Promise<number> {
  const storage = storageAsService(env)
  let count = 0
  for (;;) {
    const files = await callAsService<StoredFile[]>(env, 'files_of_person', { person, max_files: MAX_FILES })
    if (files.length === 0) return count
    for (const bucket of new Set(files.map(({ bucket_id }) => bucket_id))) {
      const names = files.filter(({ bucket_id }) => bucket_id === bucket).map(({ name }) => name)
      const { data, error } = await storage.from(bucket).remove(names)
      if (error) throw error
      if (data.length === 0) throw new Error(`nothing of ${names.length} files in ${bucket} was removed`)
    }
    count += files.length
  }
}

/** https://docs.stripe.com/error-codes */
const GONE = ['resource_missing', 'account_invalid']

/** What the provider does not know any more is gone already. */
async function removed(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove()
  } catch (error) {
    const gone = error instanceof Stripe.errors.StripeError && GONE.includes(error.code ?? '')
    if (!gone) throw error
  }
}
