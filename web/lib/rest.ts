// The Data API without the rest of the client library, for what a built page reads before its app has started.
import { PostgrestClient } from '@supabase/postgrest-js'
import type { AppConfig } from './config.ts'
import type { Client } from './connection.ts'

/** The part of a client that reads rows. */
export type Rest = Pick<Client, 'from' | 'rpc'>

/** Reads as a stranger. */
export function restOfStranger({ supabaseUrl, supabaseKey }: AppConfig): Rest {
  const headers = { apikey: supabaseKey, authorization: `Bearer ${supabaseKey}` }
  return new PostgrestClient(`${supabaseUrl}/rest/v1`, { headers }) as Rest
}
