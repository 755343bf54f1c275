// The only place that takes another role, for a transaction or a session. On connections of `authenticator`,
// PostgreSQL decides who may become which role. The owner's connections could become anybody, so roles that
// authenticator was not granted are refused here.
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import { RoleRefused } from './errors.ts'
import type { Statement } from './pipeline.ts'
import type { Queryable } from './queryable.ts'

/** PostgreSQL's settings by name, for one transaction; every value is text. */
export type Settings = Readonly<Record<string, string>>

/** The role that the connection signed in with. */
export const OWN_ROLE = 'none'

/** Every project has these, and `authenticator` may become them. */
const API_ROLES = ['anon', 'authenticated', 'service_role']

/**
 * SQL of the role that the API signs in as, on a connection of the owner's: `authenticator`, or where another installation of the
 * cluster has that, `<owner>_authenticator` (roles.sql).
 */
export const API_LOGIN = `coalesce((select rolname from pg_roles where rolname = session_user || '_authenticator'), 'authenticator')`

/** Its name. Rejects where the database does. */
export async function apiLogin(owner: Queryable): Promise<string> {
  const { rows } = await owner.query<{ name: string }>(`select ${API_LOGIN} as name`)
  return rows[0]?.name ?? 'authenticator'
}

/** PostgreSQL 15 knows no membership without SET ROLE, nor the word for it. */
const MAY_BECOME = `case when current_setting('server_version_num')::int < 160000 then 'member' else 'set' end`

/** Rejects with SQLSTATE 42501 for a role that `authenticator` may not become. */
export async function requireApiRole(client: Queryable, role: string): Promise<void> {
  if (API_ROLES.includes(role)) return
  const { rowCount } = await client.query(
    `select from pg_roles where rolname = $1 and pg_has_role(${API_LOGIN}, oid, ${MAY_BECOME})`,
    [role],
  )
  if (rowCount === 0) throw new RoleRefused(role)
}

/**
 * One statement that takes on the role and the settings for the rest of the transaction, and gives no row. Its text
 * depends only on the settings' names, so it stays prepared.
 */
export function identity(role: string, settings: Settings = {}, readOnly = false): Statement {
  const names = Object.keys(settings)
  return { text: identityText(names, readOnly), values: [...Object.values(settings), role] }
}

/** The same for the owner of the project's objects; on an owner's connection that cannot become it, as who it is. */
export function projectIdentity(settings: Settings): Statement {
  const calls = settingCalls(Object.keys(settings))
  calls.push(
    `set_config('role', case when pg_has_role('postgres', 'member') then 'postgres' else 'none' end, true)`,
  )
  return { text: withoutRow(calls), values: Object.values(settings) }
}

const texts = new LRUCache<string, string>({ max: 500 })

function identityText(names: readonly string[], readOnly: boolean): string {
  const key = `${readOnly} ${names}`
  const cached = texts.get(key)
  if (cached !== undefined) return cached
  const calls = settingCalls(names)
  // The role comes last: it may not be allowed to set what comes before it.
  calls.push(`set_config('role', $${names.length + 1}, true)`)
  if (readOnly) calls.unshift("set_config('transaction_read_only', 'on', true)")
  const text = withoutRow(calls)
  texts.set(key, text)
  return text
}

function settingCalls(names: readonly string[]): string[] {
  return names.map((name, at) => `set_config(${pg.escapeLiteral(name)}, $${at + 1}, true)`)
}

function withoutRow(calls: readonly string[]): string {
  return `select where ${calls.map((call) => `${call} is null`).join(' or ')}`
}

/**
 * Runs `work` as `role` outside of a transaction, as VACUUM and procedures that commit need it. Afterwards the session
 * has its own role again; rejects with SessionNotReset when it has not, and then the connection must not be used again.
 */
export async function withSessionRole<T>(
  client: pg.ClientBase,
  role: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    await client.query(`select set_config('role', $1, false)`, [role])
    return await work()
  } finally {
    await client.query('rollback').catch(() => {})
    await client.query('reset role; reset all').catch((error) => {
      throw new SessionNotReset(error)
    })
  }
}

/** The session may still have another role. */
export class SessionNotReset extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
  }
}
