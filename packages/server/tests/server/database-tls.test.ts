// DATABASE_URL to a PostgreSQL across a network: encrypted, and its certificate verified by the authority that is named.
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountFor } from '../../src/postgres/cluster/account.ts'
import { client, type Json, Received, subscribed } from '../realtime/fixture.ts'
import { startDebianPostgres, versionWith } from '../support/debian-postgres.ts'
import type { ExternalPostgres } from '../support/external-postgres.ts'
import { freePort } from '../support/free-port.ts'
import { startTestServer } from '../support/server.ts'

const version = existsSync('/usr/bin/openssl') ? versionWith('btree_gist') : null
const directory = mkdtempSync(join(tmpdir(), 'meadowlark-tls-'))
const at = (name: string) => join(directory, name)

/** An authority, by the name of its files. */
function makeAuthority(name: string): void {
  const subject = ['-subj', `/CN=${name}`, '-days', '2', '-nodes', '-keyout', at(`${name}.key`)]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...subject, '-out', at(`${name}.pem`)], {
    stdio: 'pipe',
  })
}

/** A certificate for localhost by that authority. */
function makeCertificate(authority: string): void {
  const [key, request] = [at('server.key'), at('server.csr')]
  const asked = ['req', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-keyout', key]
  execFileSync('openssl', [...asked, '-out', request], { stdio: 'pipe' })
  writeFileSync(at('names'), 'subjectAltName=DNS:localhost')
  const by = ['-CA', at(`${authority}.pem`), '-CAkey', at(`${authority}.key`), '-CAcreateserial']
  const signed = ['x509', '-req', '-in', request, ...by, '-extfile', at('names'), '-days', '2']
  execFileSync('openssl', [...signed, '-out', at('server.crt')], { stdio: 'pipe' })
  chmodSync(key, 0o600)
}

describe.skipIf(version === null)('a PostgreSQL that speaks TLS', () => {
  let postgres: ExternalPostgres
  let port: number
  const url = (host: string, authority: string) =>
    `postgresql://supabase_admin@${host}:${port}/postgres?sslmode=verify-full&sslrootcert=${at(`${authority}.pem`)}`
  const start = (host: string, authority = 'provider') =>
    startTestServer({ env: { DATABASE_URL: url(host, authority) } })

  beforeAll(async () => {
    makeAuthority('provider')
    makeAuthority('stranger')
    makeCertificate('provider')
    chmodSync(directory, 0o711)
    const account = accountFor(directory)
    for (const name of ['server.key', 'server.crt'])
      if (account) chownSync(at(name), account.uid, account.gid)
    port = await freePort()
    postgres = await startDebianPostgres(version as string, {
      settings: {
        listen_addresses: '127.0.0.1',
        port: String(port),
        ssl: 'on',
        ssl_cert_file: at('server.crt'),
        ssl_key_file: at('server.key'),
      },
    })
  })
  afterAll(async () => {
    await postgres?.remove()
    rmSync(directory, { recursive: true })
  })

  it('is not used where its certificate is another’s, or another authority’s', async () => {
    await expect(start('localhost', 'stranger')).rejects.toThrow(
      /^DATABASE_URL: .*cannot be used \(.*certificate/,
    )
    await expect(start('127.0.0.1')).rejects.toThrow(/^DATABASE_URL: .*does not match certificate/)
  })

  it('is served from over encrypted connections alone, the replication stream among them', async () => {
    const server = await start('localhost')
    try {
      await server.database.pool.query(`
        create table public.pears (id bigserial primary key);
        grant all on public.pears to anon;
        alter publication supabase_realtime add table public.pears`)
      const one = client(server)
      const rows = new Received<Json>()
      await subscribed(
        one
          .channel('pears')
          .on('postgres_changes', { event: '*', schema: 'public', table: 'pears' } as never, rows.put),
      )
      await expect
        .poll(async () => {
          await server.database.pool.query('insert into public.pears default values')
          return rows.all.length
        })
        .toBeGreaterThan(0)
      const { rows: connections } = await server.database.pool.query(
        `select distinct ssl, a.backend_type from pg_stat_ssl s join pg_stat_activity a using (pid)
         where a.application_name like 'meadowlark%' or a.backend_type = 'walsender' order by 2`,
      )
      expect(connections).toEqual([
        { ssl: true, backend_type: 'client backend' },
        { ssl: true, backend_type: 'walsender' },
      ])
      void one.realtime.disconnect()
    } finally {
      await server.stop()
    }
  })
})
