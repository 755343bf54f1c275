// A service as a table of routes. It defines the access that a path requires, how often it may be called, and how
// large its body may be.
import type { Answer } from './answer.ts'
import type { Access } from './authenticator.ts'
import type { CorsPolicy } from './cors.ts'
import type { RequestContext } from './request-context.ts'

export type { Access }

/** How many requests there may be from one address. `take` counts one and says whether it is within the limit. */
interface RouteLimit {
  take(address: string): boolean
}

export interface Route {
  /** In upper case, or a list of them; `*` stands for all. GET answers HEAD as well. */
  method: string | readonly string[]
  /** Below the service's mount: `/admin/users/:id`; `/*` at the end stands for any rest, or none. */
  path: string
  /** A guard for requests that are not calls of the API: answers why one is refused, null if it is accepted. */
  access: Access | Guard
  /** Counted by the client's address, after access; where it depends on the request, a function of it. */
  limit?: RouteLimit | ((request: RequestContext) => RouteLimit | null)
  /**
   * Most bytes of a body, which is read whole before the handler is called; `stream` for a handler that reads it
   * itself, with `bodies.pass` or `bodies.count`. Left out where no body is wanted.
   */
  body?: number | 'stream'
  handler: Handler
}

/** A web Response is what functions answer; everything else is an Answer. */
export type Given = Answer | Response

export type Guard = (request: RequestContext) => Given | null | Promise<Given | null>

export type Handler = (request: RequestContext) => Given | Promise<Given>

export interface Service {
  /** As metrics and the log call it. */
  name: string
  /** Where it is mounted; /<name>/v1 by default. */
  mount?: string
  /** The first that fits counts: more particular paths come first. */
  routes: readonly Route[]
  /**
   * The service's own words for thrown errors, by a handler or by the frame (TokenError, AccessError, RateLimited,
   * BodyRefused, BodyCutOff). Null leaves the words to the frame; what it does not know is logged, and answered with
   * 500.
   */
  errorAnswer?(error: unknown, request: RequestContext): Answer | null
  /** The service's own words for a 500, after it was logged. */
  failure?(request: RequestContext): Answer
  /**
   * Whether larger texts are sent compressed to clients that accept it. Never set this where an answer has both
   * secrets and texts that others wrote.
   */
  compresses?: boolean
  /** Put on every answer of the service that does not bring them itself. */
  headers?: Record<string, string>
  /** Whether pages of other origins may read its answers: as Supabase's gateway lets them by default, null for not. */
  cors?: CorsPolicy | null
}
