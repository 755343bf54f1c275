// Endpoints that the Supabase CLI expects during development: the API at `[api] port`, the embedded database at `[db]
// port`, both on this machine only, and the API keys of local projects. Never in production.
// https://supabase.com/docs/guides/local-development/cli/config
import type { Server } from 'node:http'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import type { ApiKeyRole } from '../keys/api-keys.ts'
import type { EmbeddedPostgres } from '../postgres/cluster/embedded.ts'
import { listen } from './listen.ts'

/** The CLI's built-in keys: everybody has them, so they are valid only for callers on this machine. */
const KEYS: [string, ApiKeyRole][] = [
  ['sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH', 'anon'],
  ['sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz', 'service_role'],
  [
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJzdXBhYmFzZS1kZW1vIiwicm9sZSI6ImFub24iLCJleHAiOjE5ODM4MTI5OTZ9.CRXP1A7WOeoJeXxjNni43kdQwgnWNReilDMblYTn_I0',
    'anon',
  ],
  [
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJzdXBhYmFzZS1kZW1vIiwicm9sZSI6InNlcnZpY2Vfcm9sZSIsImV4cCI6MTk4MzgxMjk5Nn0.EGIM96RAZx35lJzdJsyH-qQwv8Hdp7fsn3W0YpN81IU',
    'service_role',
  ],
]

const THIS_MACHINE = [null, 'localhost', '127.0.0.1', '::1']

/** The CLI's own keys, where a server takes them: none in production, or where HOST lets other machines in. */
export function cliKeys({ cli, host }: Pick<Config, 'cli' | 'host'>): [string, ApiKeyRole][] {
  return cli && THIS_MACHINE.includes(host) ? KEYS : []
}

/**
 * Listens at `[api] port`, too, unless the server has it as its own `port`. If another program uses that port or the
 * one of the embedded database (null where it is not embedded), the server logs one warning and continues.
 */
export async function listenForCli(
  create: () => Server,
  { cli }: Pick<Config, 'cli'>,
  port: number,
  database: Pick<EmbeddedPostgres, 'tcpPort'> | null,
): Promise<{ servers: Server[]; warnings: string[] }> {
  if (!cli) return { servers: [], warnings: [] }
  const servers = port === cli.apiPort ? [] : await tryListen(create, cli.apiPort)
  const taken = [
    ...(servers ? [] : [`${cli.apiPort} ([api] port)`]),
    ...(database && database.tcpPort !== cli.databasePort ? [`${cli.databasePort} ([db] port)`] : []),
  ]
  const warning = `In use by other programs, which the Supabase CLI reaches in the place of this server: port ${taken.join(' and port ')}. Set others in supabase/config.toml`
  return { servers: servers ?? [], warnings: taken.length > 0 ? [warning] : [] }
}

async function tryListen(create: () => Server, port: number): Promise<Server[] | null> {
  try {
    return (await listen(create, { host: null, port, production: false })).servers
  } catch (error) {
    if (error instanceof ConfigError) return null
    throw error
  }
}
