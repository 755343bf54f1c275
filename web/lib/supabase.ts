// The one client of the backend, connected as soon as the configuration is known (client.ts says when it is loaded).
// Reads and writes use `.throwOnError()`, so that a failure reaches the query or mutation as an Error.
import { AuthError, createClient, type SupabaseClient } from '@supabase/supabase-js'
import { codedErrorText, openErrors } from '../i18n/databaseTexts.ts'
import { currentLanguage } from '../i18n/index.ts'
import { translatedRefusal } from './codedErrors.ts'
import { type AppConfig, onConfig } from './config.ts'
import { announce } from './connection.ts'
import type { Database } from './database.types.ts'
import { noteFailure, urlOf, withRequestId } from './requestId.ts'
import { noteServerTime, withoutExpiry } from './serverClock.ts'
import { canStore, storageForAuth } from './storedSession.ts'

export let supabase: SupabaseClient<Database>

type Backend = Pick<AppConfig, 'supabaseUrl' | 'supabaseKey'>
let backend: Backend

/**
 * The fetch of every client: follows the server's clock, and has the texts of errors in the reader's language before the
 * caller reads them.
 */
const fetchForApp: typeof fetch = async (input, init) => {
  const response = await fetch(input, withRequestId(input, init))
  noteServerTime(response)
  if (response.ok) return urlOf(input).includes('/auth/v1/') ? withoutExpiry(response) : response
  noteFailure(response)
  // English is what the services answer.
  if (currentLanguage() !== 'en') await openErrors()
  return urlOf(input).includes('/storage/v1/') ? translatedRefusal(response, codedErrorText) : response
}

export function connect({ supabaseUrl, supabaseKey }: Backend) {
  backend = { supabaseUrl, supabaseKey }
  supabase = createClient<Database>(supabaseUrl, supabaseKey, {
    global: { fetch: fetchForApp },
    auth: {
      persistSession: true,
      autoRefreshToken: true,
      detectSessionInUrl: true,
      ...(canStore() ? { storage: storageForAuth } : {}),
      experimental: { passkey: true },
    },
  })
  announce(supabase)
}

onConfig(connect)

/**
 * A client with a separate session that ends with the page, for asking a signed-in person to prove their identity
 * once more.
 */
export function separateClient(): SupabaseClient<Database> {
  return createClient<Database>(backend.supabaseUrl, backend.supabaseKey, {
    global: { fetch: fetchForApp },
    auth: {
      persistSession: false,
      autoRefreshToken: false,
      detectSessionInUrl: false,
      storageKey: 'confirmation',
    },
  })
}

/** A request to the auth service for which the client has no method, in the session's name. Rejects with an AuthError. */
export async function postToAuth(path: string, body: object): Promise<void> {
  const { supabaseUrl, supabaseKey } = backend
  const { data } = await supabase.auth.getSession()
  const response = await fetchForApp(`${supabaseUrl}/auth/v1/${path}`, {
    method: 'POST',
    headers: {
      apikey: supabaseKey,
      authorization: `Bearer ${data.session?.access_token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })
  if (response.ok) return
  const { msg = '', error_code: code } = await response.json().catch(() => ({}))
  throw new AuthError(msg, response.status, code)
}

/** The auth service's public settings, as far as screens look at them. Rejects when they cannot be read. */
export async function authSettings(signal: AbortSignal): Promise<{
  passkeys_enabled?: boolean
  external: Record<string, boolean>
}> {
  const { supabaseUrl, supabaseKey } = backend
  const response = await fetch(`${supabaseUrl}/auth/v1/settings`, {
    signal,
    headers: { apikey: supabaseKey },
  })
  if (!response.ok) throw new Error(`The auth service answered ${response.status}`)
  return response.json()
}
