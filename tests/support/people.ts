// The cast: Grace gives tasks, Theo does them, Ada administers, Sam is a stranger. One line signs one of them in.
import * as server from '@meadowlark/server/tests/support/people.ts'
import type { SupabaseClient } from '@supabase/supabase-js'
import type { TestServer } from './server.ts'

export { PASSWORD, type Person, stranger } from '@meadowlark/server/tests/support/people.ts'

const CAST: Record<
  server.Person,
  { fullName: string; role: 'task_giver' | 'task_doer'; afterwards?: server.AccountOptions['afterwards'] }
> = {
  grace: { fullName: 'Grace', role: 'task_giver' },
  theo: { fullName: 'Theo', role: 'task_doer' },
  ada: { fullName: 'Ada', role: 'task_giver', admin: true },
  sam: { fullName: 'Sam', role: 'task_giver' },
}

/**
 * A supabase-js client with nobody signed in. `key` is the publishable key by default; `auth` are further options of
 * its sign-in.
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
export async function signedIn(server: TestServer, person: Person): Promise<SupabaseClient> {
  await makeAccount(server, person)
  const client = stranger(server)
  const { error } = await client.auth.signInWithPassword({
    email: `${person}@example.com`,
    password: PASSWORD,
  })
  if (error) throw error
  return client
}

/** The person's user id; their confirmed account is made on first use. */
export async function makeAccount(server: Pick<TestServer, 'database'>, person: Person): Promise<string> {
  const { fullName, role, admin } = CAST[person]
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
      [email, PASSWORD, { full_name: fullName, role, phone: null }],
    )
    const id = made.rows[0].id as string
    await client.query(
      `insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
       values ($1, $2, $3, 'email', now(), now(), now())`,
      [id, id, { sub: id, email, email_verified: true }],
    )
    if (admin) {
      await client.query(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [id])
      // As the seed has it: signing her in takes a password alone.
      await client.query('insert into private.admins_without_second_factor values ($1)', [id])
    },
  },
  sam: { fullName: 'Sam', role: 'task_giver' },
}

/** A supabase-js client with the person signed in; their confirmed account is made on first use. */
export function signedIn(at: TestServer, person: server.Person): Promise<SupabaseClient> {
  return server.signedIn(at, person, makeAccount)
}

/** The person's user id; their confirmed account is made on first use. */
export function makeAccount(at: Pick<TestServer, 'database'>, person: server.Person): Promise<string> {
  const { fullName, role, afterwards } = CAST[person]
  return server.makeAccount(at, person, { metadata: { full_name: fullName, role, phone: null }, afterwards })
}
