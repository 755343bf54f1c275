// The interface between sockets and row changes: channels subscribe, changes (logical replication, row-level security
// per subscriber) answer.
import type { Principal } from '../authorization.ts'

/** A parsed binding of a join's `config.postgres_changes`. */
export type BindingRequest = {
  event: 'INSERT' | 'UPDATE' | 'DELETE' | '*'
  /** `*` is every schema. */
  schema: string
  /** Absent or `*` is every table of the schema. */
  table?: string
  /** One or more conditions joined by commas, e.g. `id=eq.1` or `id=gt.0,name=not.in.(a,b)`. */
  filter?: string
  /** Only these columns are sent. */
  select?: string[]
}

/** A row change as realtime-js reads it (`data` of a `postgres_changes` message). */
export type ChangePayload = {
  schema: string
  table: string
  /** ISO 8601, UTC. */
  commit_timestamp: string
  type: 'INSERT' | 'UPDATE' | 'DELETE'
  columns: { name: string; type: string }[]
  record?: Record<string, unknown>
  old_record?: Record<string, unknown>
  /** Null, or why the record is missing, e.g. `Error 401: Unauthorized` or `Error 413: Payload Too Large`. */
  errors: string[] | null
}

/** One change as some subscribers may see it: the same object for all who see the same, so frames can be cached by it. */
export interface Change {
  readonly payload: ChangePayload
  /** JSON of `payload`, encoded once. */
  readonly json: string
}

export interface ChangeListener {
  /** A change that at least one binding matches; `ids` are those bindings', in the order of the request. */
  onChange(ids: readonly number[], change: Change): void
  /** Changes may be missing, from here on or before: the client has to fetch again what it knows. */
  onResync(): void
}

export interface Subscription {
  /** One per request, in its order. The same for equal requests, so that many sockets share one frame. */
  readonly ids: readonly number[]
  /** From the next change on, rows are checked with these claims. */
  renew(principal: Principal): void
  close(): void
}

/** A row inserted into realtime.messages by realtime.send(), realtime.broadcast_changes() or a plain insert. */
export interface DatabaseMessage {
  id: string
  topic: string
  event: string
  private: boolean
  /** JSON text of the payload; bytes when the row has `binary_payload` instead. */
  payload: string | Buffer
}

/** A binding that cannot be subscribed; clients read `message`. */
export class BindingError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BindingError'
  }
}

export interface Changes {
  /**
   * Validates bindings (schema, table, columns, filter, privileges) and subscribes: every change committed after it
   * resolves is delivered. Rejects with BindingError, or with a connection failure (see isUnavailable).
   */
  subscribe(
    principal: Principal,
    bindings: readonly BindingRequest[],
    listener: ChangeListener,
  ): Promise<Subscription>
  /**
   * Broadcasts sent from within the database, out of the same replication stream: rows inserted into
   * realtime.messages with extension `broadcast`. One listener per server; called in commit order on every server of
   * the database, from start-up on or from the first call on. `onMissed` is called when some may not have been delivered.
   */
  onMessage(listener: (message: DatabaseMessage) => void, onMissed?: () => void): void
  /** Resolves once the replication stream is attached; rejects when it is not within `timeoutMs`. */
  ready(timeoutMs: number): Promise<void>
  /** Whether changes of rows are received now. */
  readonly attached: boolean
  stop(): Promise<void>
}
