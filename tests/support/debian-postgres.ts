// A throw-away cluster of the PostgreSQL that Debian or Ubuntu installed, for extensions that only it has: PostGIS.
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountFor, commandAs } from '../../server/postgres/account.ts'
import { readPostmasterFile, SUPERUSER, socketUrl } from '../../server/postgres/postmaster.ts'

export interface DebianPostgres {
  /** As its superuser. */
  url: string
  stop(): Promise<void>
}

/** The major version whose PostgreSQL has the extension, newest first; null where there is none. */
export function versionWith(extension: string): string | null {
  if (!existsSync('/usr/lib/postgresql')) return null
  const versions = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a))
  const has = (version: string) =>
    existsSync(`/usr/lib/postgresql/${version}/bin/initdb`) &&
    existsSync(`/usr/share/postgresql/${version}/extension/${extension}.control`)
  return versions.find(has) ?? null
}

/** Makes and starts a cluster in some three seconds. */
export async function startDebianPostgres(version: string): Promise<DebianPostgres> {
  const binary = (name: string) => `/usr/lib/postgresql/${version}/bin/${name}`
  const directory = mkdtempSync('/tmp/meadowlark-debian-')
  chmodSync(directory, 0o711)
  const cluster = join(directory, 'data')
  const sockets = join(directory, 'sockets')
  const account = accountFor(cluster)
  for (const folder of [cluster, sockets]) {
    mkdirSync(folder, { mode: 0o700 })
    if (account) chownSync(folder, account.uid, account.gid)
  }
  const run = (file: string, args: string[]) => commandAs(account, file, args, [file, directory])
  const setup = ['-D', cluster, '-U', SUPERUSER, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']
  const init = run(binary('initdb'), setup)
  execFileSync(init.file, init.args, { cwd: '/', stdio: 'pipe', uid: init.uid, gid: init.gid })
  const settings = {
    ...{ listen_addresses: '', unix_socket_directories: sockets, wal_level: 'logical', fsync: 'off' },
    ...{ max_connections: '100', timezone: 'UTC', log_min_messages: 'fatal', jit: 'off' },
  }
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = run(binary('postgres'), ['-D', cluster, ...given])
  const child = spawn(server.file, server.args, {
    cwd: '/',
    stdio: 'ignore',
    ...(server.uid === undefined ? {} : { uid: server.uid, gid: server.gid }),
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const stop = async () => {
    child.kill('SIGINT')
    await ended
    rmSync(directory, { recursive: true, force: true })
  }
  for (let attempt = 0; readPostmasterFile(cluster)?.state !== 'ready'; attempt++) {
    if (attempt === 300 || child.exitCode !== null) {
      await stop()
      throw new Error(`PostgreSQL ${version} of Debian does not start`)
    }
    await sleep(50)
  }
  return { url: socketUrl(sockets, '5432'), stop }
}
