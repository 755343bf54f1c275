// Handles a PostgreSQL that does not answer: a hanging machine or a silently lost connection leaves sockets open
// forever. Waiting requests get an error in time, as for a database that is away.
import { connect, type Socket } from 'node:net'
import { Unanswered } from './errors.ts'

/** After so long without a byte, a probe finds out whether the database answers anybody. */
const PROBE_AFTER_MS = 8_000
const PROBE_TIMEOUT_MS = 2_000

/** Milliseconds that a statement's answer may take: its own timeout, and a little for the network. */
export function answerTimeout(statementTimeoutMs: number): number {
  return statementTimeoutMs > 0 ? statementTimeoutMs + PROBE_TIMEOUT_MS : Number.POSITIVE_INFINITY
}

/** Milliseconds of a time setting such as "8s", "1min" or "500" (milliseconds); null for anything else. */
export function timeoutOf(setting = ''): number | null {
  const [, amount, unit = 'ms'] = /^\s*(\d+(?:\.\d+)?)\s*(us|ms|s|min|h|d)?\s*$/.exec(setting) ?? []
  return amount === undefined ? null : Number(amount) * (UNIT_MS[unit] as number)
}

const UNIT_MS: Record<string, number> = {
  us: 0.001,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

export interface Watched {
  stream(): Socket
  /** How long PostgreSQL may be silent at this moment. */
  timeoutMs(): number
  /** Where it listens. */
  address(): Address
}

type Address = { host: string; port: number }

/** Watches one connection while PostgreSQL owes it an answer, and destroys it when none will come. */
export class ResponseTimeout {
  private timer: NodeJS.Timeout | null = null
  private silentSince = 0
  private bytesRead = 0
  private readonly watched: Watched

  constructor(watched: Watched) {
    this.watched = watched
  }

  /** A statement was sent. Until `end`, the connection may not be silent for too long. */
  begin(): void {
    if (this.timer) return
    this.restart(performance.now())
    this.arm()
  }

  /** Everything is answered. */
  end(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
  }

  private restart(now: number): void {
    this.silentSince = now
    this.bytesRead = this.watched.stream().bytesRead
  }

  private arm(): void {
    const silent = performance.now() - this.silentSince
    const next = silent < PROBE_AFTER_MS ? PROBE_AFTER_MS : silent + PROBE_AFTER_MS
    this.timer = setTimeout(
      () => this.check(),
      Math.max(Math.min(next, this.watched.timeoutMs()) - silent, 1),
    )
    this.timer.unref()
  }

  private check(): void {
    // Unread data in the socket is read first, because this process may have been busy.
    setImmediate(() => {
      if (!this.timer) return
      const { stream, timeoutMs, address } = this.watched
      const now = performance.now()
      if (stream().bytesRead !== this.bytesRead) this.restart(now)
      const silent = now - this.silentSince
      if (silent >= timeoutMs()) return this.close()
      const since = this.silentSince
      if (silent >= PROBE_AFTER_MS)
        void answers(address()).then((alive) => alive || this.closeIfSilentSince(since))
      this.arm()
    })
  }

  /** Unless bytes came meanwhile. */
  private closeIfSilentSince(since: number): void {
    if (this.timer && this.silentSince === since && this.watched.stream().bytesRead === this.bytesRead)
      this.close()
  }

  private close(): void {
    this.end()
    this.watched.stream().destroy(new Unanswered())
  }
}

const probes = new Map<string, Promise<boolean>>()

/** Whether anything answers there; one probe at a time for each address. */
function answers(address: Address): Promise<boolean> {
  const key = `${address.host}:${address.port}`
  let probe = probes.get(key)
  if (!probe) {
    probe = probeOf(address).finally(() => probes.delete(key))
    probes.set(key, probe)
  }
  return probe
}

/**
 * Asks whether encryption is spoken, which PostgreSQL answers with one byte to anybody, without a connection of those
 * that max_connections counts. https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-SSL
 */
function probeOf({ host, port }: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    const end = (alive: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(alive)
    }
    const timer = setTimeout(end, PROBE_TIMEOUT_MS, false)
    socket.once('connect', () => socket.write(SSL_REQUEST))
    socket.once('data', () => end(true))
    socket.once('error', () => end(false))
    socket.once('close', () => end(false))
  })
}

/** Length 8, request code 80877103. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
