// DATABASE_URL through a pooler in session mode: everything works through it but the replication stream, which goes past it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { Received, subscribed } from '../../../packages/server/tests/realtime/fixture.ts'
import { startDebianPostgres, versionWith } from '../../../packages/server/tests/support/debian-postgres.ts'
import { freePort } from '../../../packages/server/tests/support/free-port.ts'
import { signedIn } from '../../support/people.ts'
import { eventually } from '../../support/process.ts'
import { startTestServer } from '../../support/server.ts'

const version = versionWith('btree_gist')
const program = '/usr/sbin/pgbouncer'

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

/** PgBouncer before the PostgreSQL at `port`; it runs as PostgreSQL's account where this process is root. */
async function startPooler(port: number): Promise<{ port: number; stop(): Promise<void> }> {
  const own = await freePort()
  const directory = mkdtempSync(join(tmpdir(), 'meadowlark-pooler-'))
  chmodSync(directory, 0o755)
  const users = ['supabase_admin', 'authenticator'].map((name) => `"${name}" ""\n`)
  writeFileSync(join(directory, 'users'), users.join(''))
  const settings = `
    listen_addr = 127.0.0.1
    listen_port = ${own}
    unix_socket_dir =
    auth_type = trust
    auth_file = ${directory}/users
    pool_mode = session
    default_pool_size = 40`
  writeFileSync(
    join(directory, 'ini'),
    `[databases]\n* = host=127.0.0.1 port=${port}\n[pgbouncer]${settings.replaceAll('\n    ', '\n')}\n`,
  )
  const as = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
  const child = spawn(program, [...as, '-q', join(directory, 'ini')], { stdio: 'ignore' })
  await eventually(() => listens(own))
  return {
    port: own,
    async stop() {
      child.kill()
      if (child.exitCode === null) await once(child, 'exit')
      rmSync(directory, { recursive: true })
    },
  }
}

describe.skipIf(version === null || !existsSync(program))('a pooler in session mode', () => {
  it('is served through, and row changes come past it', async () => {
    const port = await freePort()
    const listening = { listen_addresses: '127.0.0.1', port: String(port) }
    const postgres = await startDebianPostgres(version as string, { settings: listening })
    const pooler = await startPooler(port)
    const url = (at: number) => `postgresql://supabase_admin@127.0.0.1:${at}/postgres`
    try {
      const server = await startTestServer({
        env: { DATABASE_URL: url(pooler.port), DATABASE_DIRECT_URL: url(port) },
      })
      try {
        await server.database.pool.query(`
          create table public.pears (id bigserial primary key);
          grant all on public.pears, public.pears_id_seq to authenticated;
          alter publication supabase_realtime add table public.pears`)
        const grace = await signedIn(server, 'grace')
        const rows = new Received<unknown>()
        await subscribed(
          grace
            .channel('pears')
            .on('postgres_changes', { event: '*', schema: 'public', table: 'pears' } as never, rows.put),
        )
        // The Data API has learned about the table by its notification.
        await eventually(async () => (await grace.from('pears').select()).error === null)
        await eventually(async () => {
          await grace.from('pears').insert({}).throwOnError()
          return rows.all.length > 0
        })
        void grace.realtime.disconnect()
      } finally {
        await server.stop()
      }
    } finally {
      await pooler.stop()
      await postgres.remove()
    }
  })
})
