// Performs the effects that wait in the queue of the database: calls the function of each, with the secret key. The database
// calls it after a change that queued some, its clock for those that became due; several at once share what there is.
import { z } from 'zod'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { callAsService, type Environment, required } from '../_shared/supabase.ts'

declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void }

type Effect = { id: number; function_name: string; body: unknown; attempt: number }

const AT_ONCE = 5
const EFFECT_TIMEOUT_MS = 60_000
/** A third of the time for which begin_effects hands an effect out. */
const KEEP_INTERVAL_MS = 5000
/** With the last effect's time less than the 150 seconds for which hosted functions live; what is left is the clock's. */
const MAX_MS = 80_000

export default endpoint(
  { caller: 'secret', body: jsonBody(z.object({})), failure: 'The effects could not be performed' },
  ({ env }) => {
    // Whoever calls waits for a few seconds only.
    EdgeRuntime.waitUntil(
      performDue(env).catch((error) => console.error('effects could not be taken from the queue', error)),
    )
    return { begun: true }
  },
)

async function performDue(env: Environment): Promise<void> {
  const end = Date.now() + MAX_MS
  while (Date.now() < end) {
    const effects = await callAsService<Effect[]>(env, 'begin_effects', { max_effects: AT_ONCE })
    if (effects.length === 0) return
    const done = await performAll(env, effects)
    // The cause of these failures may affect the next ones, too: the clock tries again.
    if (!done.includes(true)) return
  }
}

/** Performs them at once and answers which were done. */
async function performAll(env: Environment, effects: Effect[]): Promise<boolean[]> {
  const running = new Set(effects.map(({ id }) => id))
  const keeping = setInterval(() => {
    callAsService(env, 'keep_effects', { effect_ids: [...running] }).catch((error) =>
      console.warn('effects may be performed again', error),
    )
  }, KEEP_INTERVAL_MS)
  try {
    return await Promise.all(
      effects.map(async (effect) => {
        try {
          return await perform(env, effect)
        } catch (error) {
          // The queue hands it out again; the other effects must go on.
          console.warn(`the outcome of effect ${effect.id} could not be reported`, error)
          return false
        } finally {
          running.delete(effect.id)
        }
      }),
    )
  } finally {
    clearInterval(keeping)
  }
}

/** Calls the function and reports what came of it. */
async function perform(env: Environment, effect: Effect): Promise<boolean> {
  const failure = await call(env, effect)
  if (failure === null) {
    await callAsService(env, 'finish_effect', { effect_id: effect.id })
  } else {
    console.warn(`effect ${effect.id}, try ${effect.attempt}: ${failure}`)
    await callAsService(env, 'fail_effect', { effect_id: effect.id, reason: failure })
  }
  return failure === null
}

/** Null once the function has answered 2xx, else why it did not. */
async function call(env: Environment, { function_name, body }: Effect): Promise<string | null> {
  const key = required(env, 'SUPABASE_SERVICE_ROLE_KEY')
  try {
    const response = await fetch(
      `${required(env, 'SUPABASE_URL')}/functions/v1/${encodeURIComponent(function_name)}`,
      {
        method: 'POST',
        headers: { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body ?? {}),
        signal: AbortSignal.timeout(EFFECT_TIMEOUT_MS),
      },
    )
    const text = await response.text()
    // A text column holds no null character.
    return response.ok
      ? null
      : `${function_name} answered ${response.status}: ${text.slice(0, 500).replaceAll('\0', '')}`
  } catch (error) {
    return `${function_name}: ${(error as Error).message}`
  }
}
