// The cast of the tests, without roles of a project. One line signs one of them in.
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import type pg from 'pg'
import WebSocket from 'ws'
import type { TestServer } from './server.ts'

export type Person = 'grace' | 'theo' | 'ada' | 'sam'

export const PASSWORD = 'Meadowlark1'

/** The project's additions to a person's account. */
export interface AccountOptions {
  metadata?: object
  /** Called in the transaction that made the account. */
  afterwards?: (client: pg.PoolClient, id: string) => Promise<void>
}

/**
 * A supabase-js client with nobody signed in. `key` is the publishable key unless told otherwise; `auth` are further
 * options of its sign-in.
 */
export function stranger(
  server: Pick<TestServer, 'url' | 'publishableKey'>,
  key = server.publishableKey,
  auth: { flowType?: 'implicit' | 'pkce' } = {},
): SupabaseClient {
  return createClient(server.url, key, {
    auth: { persistSession: false, autoRefreshToken: false, ...auth },
    // Node 20 has no built-in WebSocket.
    realtime: { transport: WebSocket as never },
  })
}

/** A supabase-js client with the person signed in; their confirmed account is made on first use. */
export async function signedIn(
  server: TestServer,
  person: Person,
  make: (server: TestServer, person: Person) => Promise<string> = makeAccount,
): Promise<SupabaseClient> {
  await make(server, person)
  const client = stranger(server)
  const { error } = await client.auth.signInWithPassword({
    email: `${person}@example.com`,
    password: PASSWORD,
  })
  if (error) throw error
  return client
}

/** The person's user id; their confirmed account is made on first use. */
export async function makeAccount(
  server: Pick<TestServer, 'database'>,
  person: Person,
  { metadata = {}, afterwards }: AccountOptions = {},
): Promise<string> {
  const email = `${person}@example.com`
  return server.database.transaction(async (client) => {
    // Two tests may ask for the same person at once.
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [email])
    const { rows } = await client.query('select id from auth.users where email = $1', [email])
    if (rows[0]) return rows[0].id as string
    const made = await client.query(
      `insert into auth.users (
         instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
         raw_app_meta_data, raw_user_meta_data, created_at, updated_at,
         confirmation_token, recovery_token, email_change, email_change_token_new
       ) values (
         '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', $1,
         extensions.crypt($2, extensions.gen_salt('bf', 4)), now(),
         '{"provider":"email","providers":["email"]}', $3, now(), now(), '', '', '', ''
       ) returning id`,
      [email, PASSWORD, metadata],
    )
    const id = made.rows[0].id as string
    await client.query(
      `insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
       values ($1, $2, $3, 'email', now(), now(), now())`,
      [id, id, { sub: id, email, email_verified: true }],
    )
    await afterwards?.(client, id)
    return id
  })
}
