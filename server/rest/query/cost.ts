// What a request is expected to cost the database, for the queue in which it may have to wait (see fair-queue.ts): what
// others of its shape took, or a guess while there were none.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Caller } from '../../gateway.ts'
import { type ClientAddresses, limitKey } from '../../http/client-address.ts'
import { isQuick, learn, newPace } from '../../sql/latency.ts'
import type { Compiled } from '../plan/compiled.ts'
import type { RestRequest } from '../request/request.ts'
import type { Work } from './fair-queue.ts'

/** Bytes of a body that take PostgreSQL a millisecond. */
const BODY_PER_MILLISECOND = 20_000

/** The work of a request. */
export function workOf(
  { payload }: RestRequest,
  compiled: Compiled,
  name: string,
  { socket }: IncomingMessage,
): Work {
  const pace = compiled.pace ?? compiled.load
  const body = payload && 'text' in payload ? payload.text.length / BODY_PER_MILLISECOND : 0
  return {
    caller: name,
    cost: (pace && pace.known > 0 ? pace.usual : guessOf(compiled)) + body,
    quick: compiled.pace !== undefined && isQuick(compiled.pace),
    isGone: () => socket.destroyed,
    began: null,
  }
}

/** Keeps in mind how long one took whose kind the lanes do not learn themselves. */
export function learnFrom(compiled: Compiled, { began }: Work): void {
  if (compiled.pace || began === null) return
  compiled.load ??= newPace()
  learn(compiled.load, performance.now() - began)
}

/**
 * Milliseconds. Each relation that is read for every row of another multiplies the work; a handful, as pages have them,
 * takes next to nothing.
 */
function guessOf(compiled: Compiled): number {
  compiled.guess ??= 2 * (compiled.template.text.split(' from "').length - 1) ** 2
  return compiled.guess
}

/** Names callers: signed-in people by who they are, wherever they are, all others by their address. */
export function callerNames(
  addresses: ClientAddresses,
): (caller: Caller, incoming: IncomingMessage) => string {
  const known = new WeakMap<Socket, string>()
  return ({ claims, token }, incoming) => {
    if (token !== null && typeof claims.sub === 'string') return claims.sub
    // Behind a proxy each request of a connection may be another's.
    if (incoming.headers['x-forwarded-for'] !== undefined) return limitKey(addresses.of(incoming))
    const { socket } = incoming
    let name = known.get(socket)
    if (name === undefined) {
      name = limitKey(addresses.of(incoming))
      known.set(socket, name)
    }
    return name
  }
}
