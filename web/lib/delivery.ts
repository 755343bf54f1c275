// How it went with something that was sent under an id of its own: whether it is there, is refused, or nobody knows.
import { PostgrestError } from '@supabase/supabase-js'
import type { Outcome } from './outboxSending.ts'

/** How long an answer is waited for. */
const TIMEOUT_MS = 20_000
/** Answers of a server that is there and may well take it a little later. */
const LATER = [401, 408, 429]
/** The code of a limit on how often a person does something. It is a refusal: the person decides when to try again. */
const TOO_OFTEN = 'PT429'

export const answerTimeout = () => AbortSignal.timeout(TIMEOUT_MS)

/** The Data API's answer; status 0 if there was none. */
export type Answer = { error: ConstructorParameters<typeof PostgrestError>[0] | null; status: number }

/**
 * Of a write. A refusal of what is there all the same, because the answer before it was lost, is none: `find` reads it.
 */
export async function outcomeOf(
  { error, status }: Answer,
  find: () => PromiseLike<Answer & { data: unknown[] | null }>,
): Promise<Outcome> {
  if (!error) return 'sent'
  if (!isRefusal(status) && error.code !== TOO_OFTEN) return 'unreachable'
  const found = await find()
  if (found.error && !isRefusal(found.status)) return 'unreachable'
  return found.data?.length ? 'sent' : new PostgrestError(error)
}

const isRefusal = (status: number) => status >= 400 && status < 500 && !LATER.includes(status)
