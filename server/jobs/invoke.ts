// The task that calls a function of the application: POST <functions url>/<name> with the secret key, as a
// scheduled call on hosted Supabase does. A function that does not answer 2xx is called again later.
import type { TaskHandler } from './task.ts'

const TIMEOUT_MS = 60_000

/** Makes the `invoke_function` task; payload {name, body}. Throws with the function's own words unless it answers 2xx. */
export function invokeFunction(functions: {
  url: () => string
  secretKey: string
}): TaskHandler<{ name: string; body: unknown }> {
  return async ({ name, body }, { signal }) => {
    const response = await fetch(`${functions.url()}/${encodeURIComponent(name)}`, {
      method: 'POST',
      headers: {
        apikey: functions.secretKey,
        authorization: `Bearer ${functions.secretKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body ?? {}),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${name} answered ${response.status}: ${text.slice(0, 500)}`)
  }
}
