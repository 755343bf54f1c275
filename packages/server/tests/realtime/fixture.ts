// Shared by Realtime tests: clients of both serializers, joined channels, sockets without a library.
import { createClient, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, afterEach, beforeAll } from 'vitest'
import WebSocket from 'ws'
import { startTestServer, type TestServer } from '../support/server.ts'

/** Whatever was sent as JSON. */
export type Json = ReturnType<typeof JSON.parse>

export const VERSIONS = ['1.0.0', '2.0.0'] as const

export interface ClientOptions {
  vsn?: string
  key?: string
  /** Access token. */
  token?: string
}

/**
 * Starts a server for the tests of one file: `server` is filled in before the first of them. `prepare` adds further
 * needs of its database or of the server itself.
 */
export function serverFor(
  prepare: string | ((server: TestServer) => unknown) = '',
  env: Record<string, string> = {},
  start: typeof startTestServer = startTestServer,
) {
  const server = {} as TestServer
  const clients: SupabaseClient[] = []
  beforeAll(async () => {
    Object.assign(server, await start({ env }))
    await (typeof prepare === 'string' ? server.database.pool.query(prepare) : prepare(server))
  })
  afterEach(() => leave(clients))
  afterAll(() => server.stop())
  return {
    server,
    /** A client that is gone after the test that made it. */
    made(options: ClientOptions = {}): SupabaseClient {
      const one = client(server, options)
      clients.push(one)
      return one
    },
  }
}

/** A supabase-js client that speaks the given version of the protocol. */
export function client(
  server: TestServer,
  { vsn = '2.0.0', key, token }: ClientOptions = {},
): SupabaseClient {
  const made = createClient(server.url, key ?? server.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    // Node 20 has no built-in WebSocket.
    realtime: { transport: WebSocket as never, vsn, reconnectAfterMs: () => 50 },
  })
  if (token) made.realtime.setAuth(token)
  return made
}

/** Resolves once the channel is subscribed; rejects with the client's error otherwise. */
export function subscribed(channel: RealtimeChannel): Promise<RealtimeChannel> {
  return new Promise((resolve, reject) => {
    channel.subscribe((status, error) => {
      if (status === 'SUBSCRIBED') resolve(channel)
      else reject(error ?? new Error(status))
    })
  })
}

/** The reason for which a channel cannot be subscribed. */
export async function rejection(channel: RealtimeChannel): Promise<string> {
  try {
    await subscribed(channel)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('the channel was subscribed')
}

/** Collects what comes, and waits for it. */
export class Received<T = Json> {
  readonly all: T[] = []
  private waiting: (() => void)[] = []

  readonly put = (one: T): void => {
    this.all.push(one)
    for (const check of this.waiting.splice(0)) check()
  }

  /** Resolves with the first `count` once they have come, or with the first that `fits`. */
  async next(fits: number | ((one: T) => boolean) = 1, timeoutMs = 60_000): Promise<T[]> {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      if (typeof fits === 'number' && this.all.length >= fits) return this.all.slice(0, fits)
      if (typeof fits === 'function') {
        const found = this.all.find(fits)
        if (found !== undefined) return [found]
      }
      const left = deadline - Date.now()
      if (left <= 0) throw new Error(`it did not come; instead ${JSON.stringify(this.all)}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        this.waiting.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
  }
}

/** The broadcasts of an event that a channel receives. */
export function broadcasts(channel: RealtimeChannel, event = '*'): Received {
  const received = new Received()
  channel.on('broadcast', { event }, received.put)
  return received
}

/** The server's messages about a channel. */
export function systemMessages(channel: RealtimeChannel): Received<{
  extension: string
  status: string
  message: string
  channel: string
}> {
  const received = new Received()
  channel.on('system' as never, {} as never, received.put)
  return received
}

export interface RawSocket {
  socket: WebSocket
  received: Received<[string | null, string | null, string, string, Json]>
  /** Why it was closed. */
  closed: Promise<{ code: number; reason: string }>
  /** Sends a message of version 2.0.0. */
  send(joinRef: string | null, ref: string | null, topic: string, event: string, payload?: unknown): void
  /** The response to the message numbered `ref`. */
  reply(ref: string, timeoutMs?: number): Promise<{ status: string; response: Json }>
  /** Joins and resolves with the reply. */
  join(
    topic: string,
    payload?: unknown,
    ref?: string,
    timeoutMs?: number,
  ): Promise<{ status: string; response: Json }>
}

/** The address of the server's socket. */
export function socketUrl(server: TestServer, vsn: string): string {
  return `${server.url.replace(/^http/, 'ws')}/realtime/v1/websocket?apikey=${server.publishableKey}&vsn=${vsn}`
}

/** An open socket that is spoken to by hand; what RawSocket offers is of version 2.0.0. */
export async function rawSocket(server: TestServer, vsn = '2.0.0'): Promise<RawSocket> {
  const socket = new WebSocket(socketUrl(server, vsn))
  const received: RawSocket['received'] = new Received()
  socket.on('message', (data, binary) => {
    if (!binary) received.put(JSON.parse(String(data)))
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }))
  })
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  const raw: RawSocket = {
    socket,
    received,
    closed,
    send(joinRef, ref, topic, event, payload = {}) {
      socket.send(JSON.stringify([joinRef, ref, topic, event, payload]))
    },
    async reply(ref, timeoutMs) {
      const [message] = await received.next((one) => one[3] === 'phx_reply' && one[1] === ref, timeoutMs)
      return message?.[4]
    },
    join(topic, payload = { config: {} }, ref = '1', timeoutMs) {
      raw.send(ref, ref, `realtime:${topic}`, 'phx_join', payload)
      return raw.reply(ref, timeoutMs)
    },
  }
  return raw
}

/**
 * Waits until earlier messages have reached the clients of these channels: each joins another channel and waits for
 * the answer, which comes behind them. A sender whose messages are not acknowledged must come before those who might
 * receive them.
 */
export async function roundTrip(...channels: RealtimeChannel[]): Promise<void> {
  for (const { socket } of channels) {
    const other = socket.channel(`round trip ${trips++}`)
    await subscribed(other)
    await other.unsubscribe()
  }
}

let trips = 0

/** Nothing came within a moment. */
export async function quiet(milliseconds = 150): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** Breaks a client's connection, as a tunnel does. */
export function cut({ realtime }: SupabaseClient): void {
  const { socketAdapter } = realtime as unknown as {
    socketAdapter: { getSocket(): { conn: WebSocket | null } }
  }
  socketAdapter.getSocket().conn?.terminate()
}

/** Ends the clients of a test, without waiting until the last of them is gone. */
export function leave(clients: SupabaseClient[]): void {
  for (const one of clients.splice(0)) void one.realtime.disconnect()
}
