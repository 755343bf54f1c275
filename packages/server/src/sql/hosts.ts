// A database that fails over has several hosts, of which one may be written to. Each connection is made with the host that
// did last; when that is away, or is a standby now, the next attempt goes to the one after it. Callers that wait for a
// PostgreSQL that restarts wait for a standby that is promoted in the same way.
import type { Socket } from 'node:net'
import type pg from 'pg'
import { type Host, hostsOf, withHost } from '../config/database-url.ts'
import { isOutOfConnections, isUnavailable, markPassing } from './errors.ts'

/** How long one of several hosts may take to let somebody in: a machine that is gone says nothing. */
const HOST_TIMEOUT_MS = 4_000

/** Which host was the one to write to, by the list of them: all connections of this process follow each other. */
const current = new Map<string, number>()

/** The same URL with the host that was found to be the one to write to. */
export function currentUrl(href: string): string {
  return attemptAt(href).connectionString
}

export interface Attempt {
  /** With one host. */
  connectionString: string
  /** Whether there may be another host to write to. */
  isWatched: boolean
  /** Before it connects: makes it fail where its host is a standby, and has the next attempt go elsewhere when it fails. */
  watch(client: pg.Client): void
  /** For a client that cannot be watched: why it does not go on with this host. */
  failed(error: Error): void
}

/** One attempt at a connection to the database. */
export function attemptAt(href: string): Attempt {
  const url = new URL(href)
  const hosts = hostsOf(href)
  const isWatched = hosts.length > 1 || url.searchParams.has('target_session_attrs')
  if (!isWatched) return { connectionString: href, isWatched, watch: () => {}, failed: () => {} }
  const list = JSON.stringify(hosts)
  const at = current.get(list) ?? 0
  const failed = (error: Error) => {
    if (!isUnavailable(error) || isOutOfConnections(error)) return
    markPassing(error)
    // Several attempts fail together; they go on once.
    if ((current.get(list) ?? 0) === at) current.set(list, (at + 1) % hosts.length)
  }
  return {
    connectionString: withHost(href, hosts[at] as Host),
    isWatched,
    watch: (client) => watch(client, failed),
    failed,
  }
}

/** The host is a standby: another one is written to, or it will be promoted. */
export class StandbyHost extends Error {
  readonly code = '57P03'

  constructor() {
    super('the host is a standby')
    this.name = 'StandbyHost'
  }
}

/** The host says nothing. */
class SilentHost extends Error {
  readonly code = '08001'

  constructor() {
    super('the host does not answer')
    this.name = 'SilentHost'
  }
}

/** pg's internal view of its connection. PostgreSQL reports whether it is a standby before it is ready. */
interface PgConnection extends NodeJS.EventEmitter {
  stream: Socket
}

function watch(client: pg.Client, failed: (error: Error) => void): void {
  const { connection } = client as unknown as { connection: PgConnection }
  const refuse = (error: Error) => {
    connection.removeAllListeners('readyForQuery')
    connection.emit('error', error)
    connection.stream.destroy()
  }
  const timer = setTimeout(refuse, HOST_TIMEOUT_MS, new SilentHost())
  timer.unref()
  const fail = (error: Error) => {
    settle()
    failed(error)
  }
  const end = () => fail(new Error('Connection terminated unexpectedly'))
  const status = ({ parameterName, parameterValue }: { parameterName: string; parameterValue: string }) => {
    if (parameterName === 'in_hot_standby' && parameterValue === 'on') refuse(new StandbyHost())
  }
  const settle = () => {
    clearTimeout(timer)
    connection.off('error', fail).off('errorMessage', fail).off('end', end)
    connection.off('parameterStatus', status).off('readyForQuery', settle)
  }
  connection.on('error', fail).on('errorMessage', fail).on('end', end)
  connection.on('parameterStatus', status).on('readyForQuery', settle)
}
