// Who may read and write on a private channel: the project's policies on realtime.messages decide, asked as Supabase's
// Realtime asks them, with rows that are never kept. https://supabase.com/docs/guides/realtime/authorization
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Claims } from '../keys.ts'
import type { Database } from '../sql/database.ts'
import type { Statement } from '../sql/pipeline.ts'
import { execute } from '../sql/request.ts'
import { inTime, inTurn } from './concurrency-limit.ts'

export type Extension = 'broadcast' | 'presence'

export interface Asker {
  role: string
  claims: Claims
  /** The channel's topic, without the `realtime:` before it. */
  topic: string
  /** JSON of the request's own headers (`x-…`), for policies that read `request.headers`. */
  headers: string
}

/** Milliseconds that policies may take. */
const PATIENCE = '8000'
/** The role of who signed in. */
const OWNER = 'none'
/** Questions asked at once: thousands of channels may be joined in one second, and others need the pools, too. */
const AT_ONCE = 2

export interface Authorization {
  /** What `asker` may receive. Rejects with PostgreSQL's error when a policy fails. */
  mayRead(asker: Asker): Promise<Record<Extension, boolean>>
  /** Whether `asker` may send. Rejects with PostgreSQL's error when a policy fails. */
  mayWrite(asker: Asker, extension: Extension): Promise<boolean>
}

/** `database` puts the rows in that a reader must be able to see; `requests` tries to write as the caller. */
export function createAuthorization(database: Database, requests: pg.Pool): Authorization {
  const roles = new Map<string, Promise<boolean>>()

  /** The owner could become anybody: only what the API's own role may become is allowed here. */
  function isApiRole(role: string): Promise<boolean> {
    let known = roles.get(role)
    if (!known) {
      const asked = database.pool.query(
        `select pg_has_role('authenticator', oid, 'member') as may from pg_roles where rolname = $1`,
        [role],
      )
      known = inTime(asked).then(({ rows }) => rows[0]?.may === true)
      known.catch(() => roles.delete(role))
      if (roles.size > 100) roles.clear()
      roles.set(role, known)
    }
    return known
  }

  /** Asks with rows that are put in as `role` and never kept. */
  const ask = (pool: pg.Pool, role: string, asker: Asker, statements: Statement[]) =>
    execute(pool, { role, settings: settingsOf(asker), statements, decide: () => 'rollback' })

  async function mayRead(asker: Asker): Promise<Record<Extension, boolean>> {
    if (!(await isApiRole(asker.role))) return { broadcast: false, presence: false }
    const [broadcast, presence] = [randomUUID(), randomUUID()]
    const results = await ask(database.pool, OWNER, asker, [
      {
        text: `insert into realtime.messages (id, topic, extension)
          values ($1, $3, 'broadcast'), ($2, $3, 'presence')`,
        values: [broadcast, presence, asker.topic],
      },
      { text: `select set_config('role', $1, true)`, values: [asker.role] },
      { text: 'select id from realtime.messages where id in ($1, $2)', values: [broadcast, presence] },
    ])
    const seen = new Set(results[2]?.rows.map(([id]) => id))
    return { broadcast: seen.has(broadcast), presence: seen.has(presence) }
  }

  async function mayWrite(asker: Asker, extension: Extension): Promise<boolean> {
    try {
      await ask(requests, asker.role, asker, [
        {
          text: 'insert into realtime.messages (topic, extension) values ($1, $2)',
          values: [asker.topic, extension],
        },
      ])
      return true
    } catch (error) {
      if ((error as { code?: string }).code === '42501') return false
      throw error
    }
  }

  const [reading, writing] = [inTurn(AT_ONCE), inTurn(AT_ONCE)]
  return {
    mayRead: (asker) => reading(() => inTime(mayRead(asker))),
    mayWrite: (asker, extension) => writing(() => inTime(mayWrite(asker, extension))),
  }
}

function settingsOf({ claims, topic, headers }: Asker): Record<string, string> {
  return {
    'request.jwt.claims': JSON.stringify(claims),
    'request.headers': headers,
    'realtime.topic': topic,
    statement_timeout: PATIENCE,
  }
}
