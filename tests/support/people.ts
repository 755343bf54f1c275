// The cast: Grace gives tasks, Theo does them, Ada administers, Sam is a stranger. One line signs one of them in.

import type { SupabaseClient } from '@supabase/supabase-js'
import * as server from '../../packages/server/tests/support/people.ts'
import type { TestServer } from './server.ts'

export { PASSWORD, type Person, stranger } from '../../packages/server/tests/support/people.ts'

const CAST: Record<
  server.Person,
  { fullName: string; role: 'task_giver' | 'task_doer'; afterwards?: server.AccountOptions['afterwards'] }
> = {
  grace: { fullName: 'Grace', role: 'task_giver' },
  theo: { fullName: 'Theo', role: 'task_doer' },
  ada: {
    fullName: 'Ada',
    role: 'task_giver',
    async afterwards(client, id) {
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
