// The server's time, whatever this device's clock says: the `Date` of the newest response, and what has passed since.
// auth-js compares `expires_at` with the device's clock, so it is given moments of that clock: a device that is hours
// ahead would otherwise renew its token on every page, and one that is behind would go on with a token that has expired.
import { createStore } from './store.ts'

/** By how much the clocks of several servers may differ. */
const MOST_SKEW_MS = 60_000

/** The same moment by three clocks, in milliseconds. */
const measured = createStore<{ server: number; device: number; monotonic: number } | null>(null)

/** Reads the clock off a response that came over the network just now. */
export function noteServerTime({ headers }: Pick<Response, 'headers'>): void {
  const server = Date.parse(headers.get('date') ?? '')
  // A proxy that answers from its cache says how old the answer is. A browser does not: less time than the monotonic clock
  // has counted cannot have passed.
  const last = measured.get()
  const earliest = last ? last.server + performance.now() - last.monotonic - MOST_SKEW_MS : 0
  if (!(server >= earliest) || headers.has('age')) return
  measured.set({ server, device: Date.now(), monotonic: performance.now() })
}

/**
 * How far the device's clock is ahead of the server's, in seconds; 0 until a response has come. While a device sleeps the
 * monotonic clock may stand still, and the other one may be set: the later of the two counts, so that a token is renewed
 * too early once rather than too late.
 */
export function secondsAhead(): number {
  const last = measured.get()
  if (!last) return 0
  const passed = Math.max(performance.now() - last.monotonic, Date.now() - last.device)
  return Math.round((Date.now() - last.server - passed) / 1000)
}

/**
 * The session of a response of the auth service without `expires_at`: auth-js then reckons it from `expires_in` by the
 * device's clock. Other responses come back as they are.
 */
export async function withoutExpiry(response: Response): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith('application/json')) return response
  const body = await response.clone().json()
  if (!body?.access_token || !body.expires_in) return response
  const { expires_at: _, ...session } = body
  const { status, headers } = response
  return new Response(JSON.stringify(session), { status, headers })
}
