// The one client of the backend. main.tsx connects it before anything renders.
// Reads and writes use `.throwOnError()`, so that a failure reaches the query or mutation as an Error.
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import type { AppConfig } from './config.ts'
import type { Database } from './database.types.ts'

export let supabase: SupabaseClient<Database>

export function connect({ supabaseUrl, supabaseKey }: Pick<AppConfig, 'supabaseUrl' | 'supabaseKey'>) {
  supabase = createClient<Database>(supabaseUrl, supabaseKey, {
    auth: { persistSession: true, autoRefreshToken: true, detectSessionInUrl: true },
  })
}
