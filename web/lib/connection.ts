// Callers that wait for the backend's client, and the client once it is connected.
import type { SupabaseClient } from '@supabase/supabase-js'
import type { Database } from './database.types.ts'
import { createStore } from './store.ts'

export type Client = SupabaseClient<Database>

const connected = createStore<Client | null>(null)

/** For supabase.ts: hands the client to everyone who waits. */
export const announce = (client: Client) => connected.set(client)

/** Calls back with the client, now or when it is connected; returns the end of it. */
export function onConnected(listener: (client: Client) => void): () => void {
  const hand = () => {
    const client = connected.get()
    if (client) listener(client)
  }
  hand()
  return connected.subscribe(hand)
}
