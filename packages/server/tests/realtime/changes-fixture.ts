// Clients that listen to row changes and collect what they receive.
import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js'
import { eventually } from '../support/eventually.ts'

export interface Received {
  /** Payloads in the order received, as the client's callback got them. */
  events: Payload[]
  channel: RealtimeChannel
  /** `system` messages. */
  system: { status: string; message: string }[]
  /** Resolves once `count` events were received in all. */
  until(count: number): Promise<Payload[]>
}

export interface Payload {
  eventType: 'INSERT' | 'UPDATE' | 'DELETE'
  new: Record<string, unknown>
  old: Record<string, unknown>
  schema: string
  table: string
  commit_timestamp: string
  errors: string[] | null
}

export interface Filter {
  event?: string
  schema?: string
  table?: string
  filter?: string
  select?: string[]
}

let channels = 0

/** Listens to each of `filters` on one channel, and resolves once the server says that it does. */
export async function listen(client: SupabaseClient, ...filters: Filter[]): Promise<Received> {
  for (;;) {
    const received = begin(client, filters)
    await eventually(() => received.system.length > 0)
    const { status, message } = received.system[0] as Received['system'][number]
    if (status === 'ok') return received
    // The slot waits for the transactions of all databases of a cluster, those of other tests among them.
    if (!message.includes('until older transactions have ended')) throw new Error(message)
    await client.removeChannel(received.channel)
  }
}

/** The server's answer to a channel that it cannot subscribe. */
export async function rejection(client: SupabaseClient, ...filters: Filter[]): Promise<string> {
  const received = begin(client, filters)
  await eventually(() => received.system.length > 0)
  await client.removeChannel(received.channel)
  return `${received.system[0]?.status}: ${received.system[0]?.message}`
}

function begin(client: SupabaseClient, filters: Filter[]): Received {
  const channel = client.channel(`changes-${++channels}`)
  const received: Received = {
    events: [],
    system: [],
    channel,
    async until(count) {
      await eventually(() => received.events.length >= count)
      return received.events
    },
  }
  for (const filter of filters) {
    const wanted = { event: '*', schema: 'public', ...filter }
    channel.on(
      'postgres_changes' as never,
      wanted as never,
      ((payload: Payload) => received.events.push(payload)) as never,
    )
  }
  channel.on(
    'system' as never,
    {} as never,
    ((message: Received['system'][number]) => received.system.push(message)) as never,
  )
  channel.subscribe()
  return received
}
