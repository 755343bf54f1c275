// Estimates a request's cost to the database for the queue in which it may wait (src/http/fair-queue.ts): the
// measured time of earlier requests of its shape, or a guess without any.
import type { Socket } from 'node:net'
import type { Work } from '../../http/fair-queue.ts'
import { isQuick, learn } from '../../sql/latency.ts'
import type { RestRequest } from '../request/request.ts'
import type { Compiled } from './compile.ts'

/** Bytes of a body that take PostgreSQL a millisecond. */
const BODY_BYTES_PER_MS = 20_000

/** The work of a request; `shares` when it may share a connection with others. */
export function workOf(
  { payload }: RestRequest,
  { latency, template }: Compiled,
  { caller, shares, socket }: { caller: string; shares: boolean; socket: Socket },
): Work {
  const bodyMs = payload && 'text' in payload ? payload.text.length / BODY_BYTES_PER_MS : 0
  return {
    caller,
    costMs: (latency.samples > 0 ? latency.ms : guessMs(template.text)) + bodyMs,
    quick: shares && isQuick(latency),
    isGone: () => socket.destroyed,
    began: null,
  }
}

/** Measures one that had a connection to itself; the others are measured where they share one. */
export function learnFrom({ latency }: Compiled, shares: boolean, { began }: Work): void {
  if (!shares && began !== null) learn(latency, performance.now() - began)
}

/**
 * Each relation that is read for every row of another multiplies the work; a handful, as pages have them, takes next to
 * nothing.
 */
function guessMs(statement: string): number {
  return 2 * (statement.split(' from "').length - 1) ** 2
}
