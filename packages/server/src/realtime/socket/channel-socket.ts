// The socket's interface for a channel; connection.ts implements it.
import type { Hub } from '../hub.ts'
import type { Quota } from '../limits.ts'
import type { Frame, Incoming, Ref, UserBroadcast, Version } from './frames.ts'

/** The fields of a message that its reply repeats. */
export type ReplyTo = Pick<Incoming, 'joinRef' | 'ref' | 'topic'>

/** The parameters with which a socket was opened. */
export interface Handshake {
  version: Version
  /** The API key. */
  token: string
  /** Under which the memory that it takes is counted. */
  address: string
  /** JSON of its `x-…` headers. */
  headers: string
  /** There are too many sockets already: this one may not join anything. */
  overLimit: boolean
}

export interface ChannelSocket extends Readonly<Handshake> {
  readonly hub: Hub
  /** For messages of all its channels that wait for the database. */
  readonly queuedBytes: Quota
  /** For the metas that all its channels track. */
  readonly presenceBytes: Quota
  /** Answers a message, if it was numbered. */
  reply(to: ReplyTo, status: 'ok' | 'error', response: object): void
  push(joinRef: Ref, ref: Ref, topic: string, event: string, payload: object): void
  /** Null where this client's version cannot carry it. */
  encodeBroadcast(topic: string, message: UserBroadcast): Frame | null
  send(frame: Frame): void
  /** The channel has ended. */
  remove(channel: { readonly topic: string }): void
  /** Nothing is kept any more of the `bytes` that a channel was joined with. */
  releaseJoin(bytes: number): void
}
