// Confirmed people for the auth tests, made through the service itself.
import type { Session, SupabaseClient } from '@supabase/supabase-js'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { giver, nextMessage } from './project.ts'

export const password = 'Meadowlark1'

/** Signs `email` up, confirms it by its code, and returns the signed-in client and its session. */
export async function newPerson(
  server: TestServer,
  email: string,
): Promise<{ client: SupabaseClient; session: Session }> {
  const client = stranger(server)
  const seen = await server.inbox()
  const { error } = await client.auth.signUp({ email, password, options: { data: giver('Grace Field') } })
  if (error) throw error
  const { code } = await nextMessage(server, email, seen)
  const { data, error: refused } = await client.auth.verifyOtp({
    email,
    token: code as string,
    type: 'signup',
  })
  if (refused || !data.session) throw refused ?? new Error('no session')
  return { client, session: data.session }
}

/** Has codes of authenticator apps accepted a second time, so that a test need not wait for the next one. */
export const forgetUsedCodes = async (server: TestServer) => {
  await server.database.pool.query('delete from auth.used_totp_steps')
}

/** Another device of the same person. */
export async function signIn(server: TestServer, email: string, secret = password) {
  const client = stranger(server)
  const { data, error } = await client.auth.signInWithPassword({ email, password: secret })
  if (error) throw error
  return { client, session: data.session }
}

/** Whether the access token is still good for the account's own data. */
export async function stillSignedIn(server: TestServer, session: Session): Promise<string> {
  const { data, error } = await stranger(server).auth.getUser(session.access_token)
  return data.user ? 'yes' : (error?.code ?? error?.name ?? 'no')
}

/** Ends the person's other sessions, as a function of a project may do it. */
export async function endOtherSessions(server: TestServer, person: SupabaseClient): Promise<{ error: null }> {
  const { data } = await person.auth.getClaims()
  await server.database.pool.query('delete from auth.sessions where user_id = $1 and id <> $2', [
    data?.claims.sub,
    data?.claims.session_id,
  ])
  return { error: null }
}
