// One request as a handler sees it: what was sent, who sent it, and what this server knows of both. Whatever a handler
// may not ask for is worked out when it does.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { TokenError } from '../keys/keys.ts'
import { type Caller, NOBODY } from './authenticator.ts'
import { type ClientAddresses, limitKey } from './client-address.ts'

export class RequestContext {
  readonly incoming: IncomingMessage
  /** For code that must know when the connection ends; answers are sent by the frame. */
  readonly outgoing: ServerResponse
  readonly method: string
  /** Below the service's mount, as it was sent: percent-encoded, without the query. */
  readonly path: string
  /** Behind the question mark, as it was sent. */
  readonly queryText: string
  /** Names come in lower case. Those that came more than once are joined. `x-request-id` is `id`, whatever was sent. */
  readonly headers: Record<string, string | undefined>
  /** Named parts of the route's path, percent-decoded. */
  params: Record<string, string> = NO_PARAMS
  /** The whole body, where the route has it read; empty without one. */
  body: Buffer = NO_BODY
  /** By which the log, PostgreSQL and the answer tell requests apart: the client's or a proxy's, where it can be one. */
  readonly id: string
  /** The caller, or the error of a bad token. */
  callerOrError: Caller | TokenError = NOBODY
  private readonly addresses: ClientAddresses
  private parsedQuery: URLSearchParams | undefined
  private aborted: AbortSignal | undefined

  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { mount, addresses }: { mount: string; addresses: ClientAddresses },
  ) {
    const url = incoming.url as string
    const question = url.indexOf('?')
    this.incoming = incoming
    this.outgoing = outgoing
    this.method = incoming.method as string
    this.path = question < 0 ? url.slice(mount.length) : url.slice(mount.length, question)
    this.queryText = question < 0 ? '' : url.slice(question + 1)
    this.headers = incoming.headers as Record<string, string | undefined>
    this.addresses = addresses
    const { 'x-request-id': given } = this.headers
    this.id = given && SAFE_ID.test(given) ? given : randomUUID()
    // For whom headers are passed on to: functions, policies.
    this.headers['x-request-id'] = this.id
  }

  /** The query's parameters, decoded. */
  get query(): URLSearchParams {
    this.parsedQuery ??= new URLSearchParams(this.queryText)
    return this.parsedQuery
  }

  /** The body as text. */
  get text(): string {
    return this.body.toString('utf8')
  }

  /**
   * The caller. Throws the TokenError if the request carried a bad token, so that it does not count as a stranger's.
   */
  get caller(): Caller {
    if (this.callerOrError instanceof TokenError) throw this.callerOrError
    return this.callerOrError
  }

  /** The client's address; null when the connection is gone. */
  get address(): string | null {
    return this.addresses.of(this.incoming)
  }

  /** By what limits count the client. */
  get limitKey(): string {
    return limitKey(this.address)
  }

  /** The key of the request in queues: the account of signed-in people, the address of others. */
  get queueKey(): string {
    const { callerOrError } = this
    if (callerOrError instanceof TokenError || callerOrError.token === null) return this.limitKey
    const { sub } = callerOrError.claims
    return typeof sub === 'string' ? sub : this.limitKey
  }

  /** The origin under which the client reached this server. */
  get origin(): string {
    const scheme = 'encrypted' in this.incoming.socket ? 'https' : 'http'
    const { host = 'localhost' } = this.headers
    return URL.canParse(`${scheme}://${host}`)
      ? new URL(`${scheme}://${host}`).origin
      : `${scheme}://localhost`
  }

  /** Aborted when the client goes away before its answer was sent. */
  get signal(): AbortSignal {
    if (!this.aborted) {
      const controller = new AbortController()
      const { outgoing } = this
      const gone = () => !outgoing.writableFinished && controller.abort(new Error('the client went away'))
      if (outgoing.destroyed) gone()
      else outgoing.once('close', gone)
      this.aborted = controller.signal
    }
    return this.aborted
  }
}

/** It is written to logs: letters, digits and the other characters of ids. */
const SAFE_ID = /^[\w.:-]{1,64}$/
const NO_BODY = Buffer.alloc(0)
const NO_PARAMS: Record<string, string> = Object.freeze({})
