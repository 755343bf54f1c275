// Acting as a person in the database: the role and claims that the Data API sets, in one transaction.
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { createTestDatabase, makeTemplate, type TestDatabase } from '../support/database.ts'
import { LIFT_LIMITS } from '../support/lift-limits.ts'

export type Persona = 'grace' | 'theo' | 'ada' | 'sam' | 'anonymous'

/** The ids of the cast in a test database. */
export const cast = {
  grace: '00000000-0000-4000-8000-00000000000a',
  theo: '00000000-0000-4000-8000-00000000000b',
  ada: '00000000-0000-4000-8000-00000000000c',
  sam: '00000000-0000-4000-8000-00000000000d',
} as const

/** The template that has them. */
const CAST = 'test_cast'

type Claims = {
  role: string
  sub?: string
  aal?: string
  session_id?: string
  amr?: object[]
  client_id?: string
}
type Query = (text: string, values?: unknown[]) => Promise<pg.QueryResult>

/**
 * A separate database for the tests of a file, with the cast in it and no limits on how often they act: created
 * before the tests, dropped after them. With `fresh`, each test gets a new one.
 */
export function databaseWithCast({ fresh = false } = {}): TestDatabase {
  const db = {} as TestDatabase
  const before = fresh ? beforeEach : beforeAll
  before(async () => {
    await makeTemplate(CAST, enterBusyCast)
    await db.drop?.()
    Object.assign(db, await createTestDatabase(CAST))
  })
  afterAll(() => db.drop?.())
  return db
}

async function enterBusyCast(db: TestDatabase): Promise<void> {
  await enterCast(db)
  await owner(db)(LIFT_LIMITS)
}

/** Signs the cast up: Grace and Sam give, Theo does, Ada is an admin. */
export async function enterCast(db: TestDatabase): Promise<void> {
  await signUp(db, { id: cast.grace, name: 'Grace Giver', role: 'task_giver' })
  await signUp(db, { id: cast.theo, name: 'Theo Tasker', role: 'task_doer' })
  await signUp(db, { id: cast.ada, name: 'Ada Admin', role: 'task_giver' })
  await signUp(db, { id: cast.sam, name: 'Sam Stranger', role: 'task_giver' })
  await owner(db)(`delete from public.user_roles where user_id = $1`, [cast.ada])
  await owner(db)(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [cast.ada])
}

/** Inserts an account as the auth service does; the sign-up trigger makes the rest. Returns its id. */
export async function signUp(
  db: TestDatabase,
  person: { id?: string; name?: string; role?: string; phone?: string; meta?: object },
): Promise<string> {
  const id = person.id ?? randomUUID()
  const meta = person.meta ?? {
    full_name: person.name ?? 'Someone Else',
    phone: person.phone ?? null,
    role: person.role,
  }
  await db.database.pool.query(
    `insert into auth.users (id, email, encrypted_password, raw_user_meta_data) values ($1, $2, 'x', $3)`,
    [id, `${(person.name ?? id).split(' ')[0]?.toLowerCase()}@example.com`, JSON.stringify(meta)],
  )
  return id
}

/** Queries as the platform's owner, past every policy. */
export function owner(db: TestDatabase): Query {
  return (text, values) => db.database.pool.query(text, values)
}

/**
 * Queries as that person (a name of the cast, or a user's id), each in a separate transaction; password and second
 * factor have just been proved.
 */
export function as(db: TestDatabase, person: Persona | (string & {})): Query {
  const sub = person in cast ? cast[person as keyof typeof cast] : person
  return person === 'anonymous'
    ? asRole(db, { role: 'anon' })
    : asRole(db, { role: 'authenticated', sub, aal: 'aal2', amr: passwordProof(0) })
}

/**
 * The same with the claims of a token that belongs to a session: signed in with a password `ageS` seconds ago, and with
 * nothing else.
 */
export function asSession(db: TestDatabase, person: keyof typeof cast, session: string, ageS = 0): Query {
  const amr = passwordProof(ageS)
  return asRole(db, { role: 'authenticated', sub: cast[person], aal: 'aal1', session_id: session, amr })
}

const passwordProof = (ageS: number) => [
  { method: 'password', timestamp: Math.floor(Date.now() / 1000) - ageS },
]

/** The same with a second factor that was proved then, too. */
export function asProvedSession(db: TestDatabase, person: keyof typeof cast, ageS: number): Query {
  return asRole(db, { role: 'authenticated', sub: cast[person], aal: 'aal2', amr: passwordProof(ageS) })
}

/** And with that of somebody whose second step is still to come: the hook of access tokens made the role. */
export function asHalfSignedIn(db: TestDatabase, person: keyof typeof cast, session: string): Query {
  return asRole(db, { role: 'anon', sub: cast[person], aal: 'aal1', session_id: session })
}

/** And with that of an application that the person signed in to: the hook made the role, unless it is switched off. */
export function asApplication(
  db: TestDatabase,
  person: keyof typeof cast,
  { hook = true, aal = 'aal1' } = {},
): Query {
  const client = '00000000-0000-4000-8000-0000000000ff'
  return asRole(db, { role: hook ? 'anon' : 'authenticated', sub: cast[person], aal, client_id: client })
}

/** Queries with the secret key. */
export function asService(db: TestDatabase): Query {
  return asRole(db, { role: 'service_role' })
}

function asRole(db: TestDatabase, claims: Claims): Query {
  return (text, values) =>
    db.database.transaction(async (client) => {
      await client.query(`set local role ${claims.role}`)
      await client.query(`select set_config('request.jwt.claims', $1, true)`, [JSON.stringify(claims)])
      return client.query(text, values)
    })
}
