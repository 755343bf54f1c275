// Ties a sign-in by a provider to the browser that began it (RFC 6749, section 10.12). Otherwise an address made by
// another person could sign somebody in to that person's account, or add their identity to it.
import { timingSafeEqual } from 'node:crypto'
import type { AuthService } from '../service.ts'
import type { ProviderFlow } from '../store/flow-state.ts'
import { keyedHash } from '../store/rate-limits.ts'

const LIFETIME_SECONDS = 300

const nameOf = (state: string) => `sb-flow-${state.slice(0, 8)}`
const markOf = ({ keys }: AuthService, state: string) => keyedHash(keys, 'flow', state).slice('flow:'.length)

/** The header that leaves the state's mark in the browser. */
export function markBrowser(service: AuthService, state: string): Record<string, string> {
  const { protocol, pathname } = new URL(service.authUrl)
  // Apple's form comes from another site; browsers send such cookies along only where they are secure.
  const site = protocol === 'https:' ? 'SameSite=None; Secure' : 'SameSite=Lax'
  return {
    'set-cookie': `${nameOf(state)}=${markOf(service, state)}; Path=${pathname}/callback; Max-Age=${LIFETIME_SECONDS}; HttpOnly; ${site}`,
  }
}

/**
 * Whether the flow may end here. The exchange of a PKCE flow's code is tied to its beginner by the verifier. A flow that
 * adds an identity begins with a call of the app, whose answer can leave a mark only where app and service share an
 * origin. Only browsers can be led somewhere; they tell so (https://www.w3.org/TR/fetch-metadata/).
 */
export function beganHere(
  service: AuthService,
  flow: ProviderFlow,
  headers: Record<string, string | undefined>,
): boolean {
  const { settings, authUrl } = service
  const sameOrigin = new URL(settings.site_url).origin === new URL(authUrl).origin
  const tied = flow.linking_target_id ? sameOrigin : flow.code_challenge === null
  if (!tied || headers['sec-fetch-mode'] === undefined) return true
  const expected = Buffer.from(`${nameOf(flow.id)}=${markOf(service, flow.id)}`)
  return (headers.cookie ?? '').split('; ').some((cookie) => {
    const given = Buffer.from(cookie)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
