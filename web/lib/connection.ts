// Callers that wait for the backend's client, and the client once it is connected.
import type { SupabaseClient } from '@supabase/supabase-js'
import type { Database } from './database.types.ts'

export type Client = SupabaseClient<Database>

let connected: Client | undefined
const listeners = new Set<(client: Client) => void>()

/** For supabase.ts: hands the client to everyone who waits. */
export function announce(client: Client) {
  connected = client
  for (const listener of listeners) listener(client)
}

/** Calls back with the client, now or when it is connected; returns the end of it. */
export function onConnected(listener: (client: Client) => void): () => void {
  listeners.add(listener)
  if (connected) listener(connected)
  return () => listeners.delete(listener)
}
