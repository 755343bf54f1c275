// What is done when PostgreSQL says nothing: a machine that hangs, or a network that lost a connection without a word,
// leaves sockets open on which no answer will ever come. Whoever waits is told in time, as for a database that is away.
import { connect, type Socket } from 'node:net'

/** PostgreSQL was asked and does not answer. To everybody it is away: see isUnavailable in database.ts. */
export class Unanswered extends Error {
  readonly code = '08006'

  constructor() {
    super('the database did not answer in time')
    this.name = 'Unanswered'
  }
}

/** Milliseconds of silence after which it is asked whether the database answers anybody, and for how long. */
const QUIET = 8_000
const PROBE_PATIENCE = 2_000

/** Milliseconds that a statement may be silent for: what it was allowed to take, and a little for the way. */
export function patienceFor(statementTimeout: number): number {
  return statementTimeout > 0 ? statementTimeout + PROBE_PATIENCE : Number.POSITIVE_INFINITY
}

/** Milliseconds of a PostgreSQL time setting such as "8s", "1min" or "500" (milliseconds); null for what is none. */
export function millisecondsOf(setting: string): number | null {
  const [, amount, unit = 'ms'] = /^\s*(\d+(?:\.\d+)?)\s*(us|ms|s|min|h|d)?\s*$/.exec(setting) ?? []
  return amount === undefined ? null : Number(amount) * (UNITS[unit] as number)
}

const UNITS: Record<string, number> = { us: 0.001, ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 }

export interface Watched {
  stream(): Socket
  /** Milliseconds that PostgreSQL may be silent for at this moment. */
  patience(): number
  /** Where it listens. */
  address(): Address
}

export type Address = { host: string; port: number }

/** Watches one connection while PostgreSQL owes it an answer, and destroys it when none will come. */
export class SilenceWatch {
  private timer: NodeJS.Timeout | null = null
  private since = 0
  private heard = 0
  private readonly watched: Watched

  constructor(watched: Watched) {
    this.watched = watched
  }

  /** Something was asked. Until `end`, the connection may not be silent for too long. */
  begin(): void {
    if (this.timer) return
    this.listenAnew(performance.now())
    this.arm()
  }

  /** All that was asked is answered. */
  end(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
  }

  private listenAnew(now: number): void {
    this.since = now
    this.heard = this.watched.stream().bytesRead
  }

  private arm(): void {
    const silent = performance.now() - this.since
    const next = silent < QUIET ? QUIET : silent + QUIET
    this.timer = setTimeout(() => this.look(), Math.max(Math.min(next, this.watched.patience()) - silent, 1))
    this.timer.unref()
  }

  private look(): void {
    // What lies in the socket unread, because this process was busy, is read first.
    setImmediate(() => {
      if (!this.timer) return
      const { stream, patience, address } = this.watched
      const now = performance.now()
      if (stream().bytesRead !== this.heard) this.listenAnew(now)
      const silent = now - this.since
      if (silent >= patience()) return this.giveUp()
      if (silent >= QUIET) void answers(address()).then((alive) => alive || this.giveUpAt(this.since))
      this.arm()
    })
  }

  /** Unless something was heard meanwhile. */
  private giveUpAt(since: number): void {
    if (this.timer && this.since === since && this.watched.stream().bytesRead === this.heard) this.giveUp()
  }

  private giveUp(): void {
    this.end()
    this.watched.stream().destroy(new Unanswered())
  }
}

const probes = new Map<string, Promise<boolean>>()

/** Whether anything answers there. Asked once for all who want to know at the same time. */
function answers(address: Address): Promise<boolean> {
  const key = `${address.host}:${address.port}`
  let probe = probes.get(key)
  if (!probe) {
    probe = ask(address).finally(() => probes.delete(key))
    probes.set(key, probe)
  }
  return probe
}

/**
 * Asks whether encryption is spoken, which PostgreSQL answers with one byte to anybody, without a connection of those
 * that max_connections counts. https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-SSL
 */
function ask({ host, port }: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    const settle = (alive: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(alive)
    }
    const timer = setTimeout(settle, PROBE_PATIENCE, false)
    socket.once('connect', () => socket.write(SSL_REQUEST))
    socket.once('data', () => settle(true))
    socket.once('error', () => settle(false))
    socket.once('close', () => settle(false))
  })
}

/** Length 8, request code 80877103. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
