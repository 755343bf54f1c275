// Authorization of private channels: the project's policies on realtime.messages decide, evaluated as Supabase's
// Realtime evaluates them, with rows that are rolled back. https://supabase.com/docs/guides/realtime/authorization
import { randomUUID } from 'node:crypto'
import type { Claims } from '../keys/keys.ts'
import type { CallerStatement } from '../sql/as-caller.ts'
import type { Database } from '../sql/database.ts'
import { RoleRefused } from '../sql/errors.ts'
import type { Settings } from '../sql/roles.ts'
import { concurrencyLimit, withTimeout } from './concurrency-limit.ts'

export type Extension = 'broadcast' | 'presence'

/** The reader or writer. Principals with equal claims are checked once. */
export interface Principal {
  /** The database role. */
  role: string
  /** As in the access token. */
  claims: Claims
}

/** The channel that policies are evaluated for. */
export interface ChannelRef {
  /** The topic without its `realtime:` prefix. */
  subTopic: string
  isPrivate: boolean
  /** JSON of the request's own `x-…` headers, for policies that read `request.headers`. */
  headers: string
}

const STATEMENT_TIMEOUT_MS = 8_000
/** Checks at once of each kind: thousands of channels may be joined in one second, and others need the pools, too. */
const MAX_CONCURRENT_CHECKS = 2

export interface Authorization {
  /** Which extensions `principal` may receive. Rejects with PostgreSQL's error when a policy fails. */
  mayRead(principal: Principal, channel: ChannelRef): Promise<Record<Extension, boolean>>
  /** Whether `principal` may send. Rejects with PostgreSQL's error when a policy fails. */
  mayWrite(principal: Principal, channel: ChannelRef, extension: Extension): Promise<boolean>
}

/** `database` inserts the rows that a reader must be able to select; `requests` inserts as the caller. */
export function createAuthorization(database: Database, requests: Database): Authorization {
  async function mayRead(principal: Principal, channel: ChannelRef) {
    const [broadcast, presence] = [randomUUID(), randomUUID()]
    const statements: CallerStatement[] = [
      {
        as: 'owner',
        text: `insert into realtime.messages (id, topic, extension)
          values ($1, $3, 'broadcast'), ($2, $3, 'presence')`,
        values: [broadcast, presence, channel.subTopic],
      },
      { text: 'select id from realtime.messages where id in ($1, $2)', values: [broadcast, presence] },
    ]
    const results = await database
      .as(principal, settingsOf(principal, channel))
      .dryRun(statements)
      .catch((error) => {
        if (error instanceof RoleRefused) return []
        throw error
      })
    const visible = new Set(results[1]?.rows.map(([id]) => id))
    return { broadcast: visible.has(broadcast), presence: visible.has(presence) }
  }

  async function mayWrite(principal: Principal, channel: ChannelRef, extension: Extension): Promise<boolean> {
    try {
      await requests.as(principal, settingsOf(principal, channel)).dryRun([
        {
          text: 'insert into realtime.messages (topic, extension) values ($1, $2)',
          values: [channel.subTopic, extension],
        },
      ])
      return true
    } catch (error) {
      if ((error as { code?: string }).code === '42501') return false
      throw error
    }
  }

  const [reads, writes] = [concurrencyLimit(MAX_CONCURRENT_CHECKS), concurrencyLimit(MAX_CONCURRENT_CHECKS)]
  return {
    mayRead: (principal, channel) => reads(() => withTimeout(mayRead(principal, channel))),
    mayWrite: (principal, channel, extension) =>
      writes(() => withTimeout(mayWrite(principal, channel, extension))),
  }
}

function settingsOf({ claims }: Principal, { subTopic, headers }: ChannelRef): Settings {
  return {
    'request.jwt.claims': JSON.stringify(claims),
    'request.headers': headers,
    'realtime.topic': subTopic,
    statement_timeout: String(STATEMENT_TIMEOUT_MS),
  }
}
