// The frame's own words for thrown errors, where a service has none.
import { TokenError } from '../keys/keys.ts'
import { DATABASE_UNAVAILABLE, isUnavailable } from '../sql/errors.ts'
import { type Answer, empty, json } from './answer.ts'
import { AccessError } from './authenticator.ts'
import { BodyCutOff, BodyRefused } from './body-refused.ts'

/** There were more requests from the address than the route's limit allows. */
export class RateLimited extends Error {
  constructor() {
    super('Too many requests from your address; try again later')
  }
}

/** Null for errors that no request caused. */
export function errorAnswer(error: unknown): Answer | null {
  if (error instanceof BodyCutOff) return empty(400)
  if (error instanceof BodyRefused) return json({ message: error.message }, error.status)
  if (error instanceof TokenError) return json({ message: error.message }, 401)
  if (error instanceof AccessError) return json({ message: error.message }, error.hasToken ? 403 : 401)
  if (error instanceof RateLimited) return json({ message: error.message }, 429)
  if (isUnavailable(error)) return json({ message: DATABASE_UNAVAILABLE }, 503, { 'retry-after': '1' })
  return null
}

/** The answer with headers that it has not yet. */
export function withHeaders(answer: Answer, headers: Record<string, string>): Answer {
  const given = new Set(Object.keys(answer.headers).map((name) => name.toLowerCase()))
  const added = Object.entries(headers).filter(([name]) => !given.has(name))
  return { ...answer, headers: { ...answer.headers, ...Object.fromEntries(added) } }
}
