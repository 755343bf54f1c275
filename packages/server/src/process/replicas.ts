// The other servers of a database, in production: each says in a row of supabase_migrations.servers that it runs, which keys
// it has and where it keeps files. One that would answer otherwise than those that run does not start.
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import type pino from 'pino'
import { type Config, ConfigError } from '../config/config.ts'
import { type Keys, writeSecretly } from '../keys/keys.ts'
import type { Plugin } from '../plugin.ts'

/** Settings that all servers of a database must share. Secrets are stored as digests. */
export type ServerFacts = {
  /** The keys that apps send. */
  apiKeys: string
  /** Digests of the API keys in use, and of all that are accepted. Servers of an earlier version do not tell them. */
  api?: { current: string[]; accepted: string[] }
  /** Digests of the settings that all servers need alike, by name (Plugin.shared). Missing likewise. */
  shared?: Record<string, string>
  /** The key that signs tokens, and all that verify them. */
  signs: string
  verifies: string[]
  /** The bucket of stored files; null for a folder on this server's disk. */
  bucket: string | null
}

type Row = { host: string; facts: ServerFacts }

type Server = { config: Config; keys: Keys; plugins: readonly Plugin[]; log: pino.Logger }

const HEARTBEAT_INTERVAL_MS = 10_000
/** Seconds after its last heartbeat from which a server counts as one that was killed. */
const HEARTBEAT_TIMEOUT_S = 35

const digest = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 16)

function serverFacts({ keys, config: { s3 }, plugins }: Server): ServerFacts {
  const { signs, verifies, api } = keys.ids
  const shared = Object.entries(Object.assign({}, ...plugins.map((plugin) => plugin.shared?.())))
  return {
    apiKeys: digest(keys.publishable + keys.secret),
    api,
    shared: Object.fromEntries(shared.map(([name, value]) => [name, digest(String(value))])),
    signs,
    verifies,
    bucket: s3 && digest(`${s3.endpoint ?? 'aws'} ${s3.bucket}`),
  }
}

/**
 * Adds this server to the running ones, and updates its heartbeat every ten seconds; returns the function that
 * removes it. Throws a ConfigError with all in which it differs from one of them, unless ALLOW does without; nothing
 * is left of it then. Outside of production, and with the embedded database, there are no others.
 */
export async function joinReplicas(pool: pg.Pool, server: Server): Promise<() => Promise<void>> {
  const { config, log } = server
  if (!config.production || !config.databaseUrl) return async () => {}
  const id = serverId(config.dataDir)
  const beat = () =>
    pool.query(
      `insert into supabase_migrations.servers as known (id, host, facts) values ($1, $2, $3)
       on conflict (id) do update set host = excluded.host, facts = excluded.facts, seen_at = now(),
         started_at = case when $4 then now() else known.started_at end`,
      [id, hostname(), serverFacts(server), starting],
    )
  const leave = async () => {
    await pool.query('delete from supabase_migrations.servers where id = $1', [id])
  }
  let starting = true
  await beat()
  starting = false
  const differences = (await before(pool, id)).flatMap((other) =>
    differencesFrom(other, serverFacts(server), config.allow),
  )
  if (differences.length > 0) {
    await leave()
    throw new ConfigError(differences)
  }
  const timer = setInterval(() => {
    beat().catch((error) => log.debug({ err: error }, 'the database did not take a sign of life'))
  }, HEARTBEAT_INTERVAL_MS)
  timer.unref()
  return () => {
    clearInterval(timer)
    return leave()
  }
}

/** Those that began earlier: of two that start at once, one goes on. Forgets those that were killed. */
async function before(pool: pg.Pool, id: string): Promise<Row[]> {
  await pool.query(
    `delete from supabase_migrations.servers where seen_at < now() - make_interval(secs => $1)`,
    [HEARTBEAT_TIMEOUT_S],
  )
  const { rows } = await pool.query<Row>(
    `select other.host, other.facts from supabase_migrations.servers other, supabase_migrations.servers own
     where own.id = $1 and (other.started_at, other.id) < (own.started_at, own.id) order by other.started_at`,
    [id],
  )
  return rows
}

/** One line for each thing in which this server differs from another one, with what to do about it. */
export function differencesFrom({ host, facts }: Row, own: ServerFacts, allow: readonly string[]): string[] {
  const lines: string[] = []
  const sameTokens = own.verifies.includes(facts.signs) && facts.verifies.includes(own.signs)
  const sameApi = acceptsApiKeys(facts, own)
  if (!(sameApi && sameTokens) && !allow.includes('different-keys')) {
    const what = sameApi ? 'other keys of tokens' : 'other API keys'
    lines.push(
      `JWT_SECRET: a server on ${host} uses this database with ${what}, so each would refuse what the other gave; ` +
        'set the same JWT_SECRET or JWT_KEYS on both, or give both the same keys.json in DATA_DIR (ALLOW=different-keys starts with them)',
    )
  }
  if (!allow.includes('different-keys'))
    for (const [name, value] of Object.entries(own.shared ?? {}))
      if (facts.shared && facts.shared[name] !== value)
        lines.push(
          `${name}: a server on ${host} uses this database with another value; set the same on both (ALLOW=different-keys starts with them)`,
        )
  if ((own.bucket === null || facts.bucket !== own.bucket) && !allow.includes('local-files')) {
    lines.push(
      `S3_BUCKET: a server on ${host} uses this database and keeps its files elsewhere, so each would lack the other's; ` +
        'set the same S3_BUCKET on both (ALLOW=local-files starts without)',
    )
  }
  return lines
}

/** Whether each accepts the keys that the other gives out: during a rotation these differ. */
function acceptsApiKeys(one: ServerFacts, other: ServerFacts): boolean {
  const [a, b] = [one.api, other.api]
  if (!a || !b) return one.apiKeys === other.apiKeys
  return (
    a.current.every((key) => b.accepted.includes(key)) && b.current.every((key) => a.accepted.includes(key))
  )
}

/** This server's name among those of its database, kept in DATA_DIR: one that was killed is the same when it is back. */
function serverId(dataDir: string): string {
  const path = join(dataDir, 'server.json')
  if (existsSync(path)) {
    try {
      const { id } = JSON.parse(readFileSync(path, 'utf8')) as { id?: unknown }
      if (typeof id === 'string') return id
    } catch {
      // Damaged: it gets another name, and the old one is forgotten with its heartbeats.
    }
  }
  const id = randomBytes(8).toString('hex')
  writeSecretly(path, { id })
  return id
}
