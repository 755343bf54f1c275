// Loads the client library of the backend: with the first screen that asks the backend, or at once where this browser
// may hold a session. A stranger's first page does without it.
import type { Client } from './connection.ts'

/** The client, loaded if nothing has asked for it yet. Rejects when its code cannot be fetched. */
export async function loadClient(): Promise<Client> {
  const { supabase } = await import('./supabase.ts')
  return supabase
}
