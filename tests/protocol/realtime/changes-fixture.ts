// Clients that listen to row changes and note what they hear.
import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js'
import { eventually } from '../../support/process.ts'

export interface Heard {
  /** Payloads in the order heard, as the client's callback got them. */
  events: Payload[]
  channel: RealtimeChannel
  /** `system` messages. */
  system: { status: string; message: string }[]
  /** Resolves once `count` events were heard in all. */
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
export async function listen(client: SupabaseClient, ...filters: Filter[]): Promise<Heard> {
  const heard = begin(client, filters)
  await eventually(() => heard.system.length > 0)
  if (heard.system[0]?.status !== 'ok') throw new Error(heard.system[0]?.message)
  return heard
}

/** What the server answers to a channel that it cannot listen with. */
export async function refusal(client: SupabaseClient, ...filters: Filter[]): Promise<string> {
  const heard = begin(client, filters)
  await eventually(() => heard.system.length > 0)
  await client.removeChannel(heard.channel)
  return `${heard.system[0]?.status}: ${heard.system[0]?.message}`
}

function begin(client: SupabaseClient, filters: Filter[]): Heard {
  const channel = client.channel(`changes-${++channels}`)
  const heard: Heard = {
    events: [],
    system: [],
    channel,
    async until(count) {
      await eventually(() => heard.events.length >= count)
      return heard.events
    },
  }
  for (const filter of filters) {
    const wanted = { event: '*', schema: 'public', ...filter }
    channel.on(
      'postgres_changes' as never,
      wanted as never,
      ((payload: Payload) => heard.events.push(payload)) as never,
    )
  }
  channel.on(
    'system' as never,
    {} as never,
    ((message: Heard['system'][number]) => heard.system.push(message)) as never,
  )
  channel.subscribe()
  return heard
}
