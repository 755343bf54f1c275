// The installation that faults hit: two servers on one PostgreSQL, the first of which runs it, the other behind a
// wire. They have a separate disk if this account may make one, and a mail server. And the faults that befall it.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readPostmasterFile, runningUrl } from '@meadowlark/server/postgres/cluster/postmaster.ts'
import pg from 'pg'
import { SMTPServer } from 'smtp-server'
import { Wire } from '../../../packages/server/tests/support/wire.ts'
import { repositoryFile } from '../../../plugins/repository.ts'
import { LIFT_LIMITS } from '../../support/lift-limits.ts'
import {
  buildServer,
  type ProcessOptions,
  postmasterOf,
  prepareDataDir,
  type ServerProcess,
  startProcess,
} from '../../support/process.ts'
import { freePort } from '../../support/server.ts'

/** Room for the cluster, and little more: the rest is filled when the disk is to be full. */
const DISK_MB = 600
/** Milliseconds after which what does not come back is a failure. */
const TIMEOUT_MS = 60_000

export class Installation {
  /** The server that carries PostgreSQL. */
  one!: ServerProcess
  two!: ServerProcess
  private readonly folder = mkdtempSync(join(tmpdir(), 'meadowlark-faults-'))
  private readonly disk = join(this.folder, 'disk')
  private readonly data = join(this.disk, 'data')
  private readonly wire = new Wire(() => {
    const file = readPostmasterFile(this.cluster)
    return file && `${file.sockets}/.s.PGSQL.${file.port}`
  })
  private hasOwnDisk = false
  private ports: [number, number, number] = [0, 0, 0]
  private wireUrl = ''
  private smtp!: SMTPServer

  private get cluster(): string {
    return join(this.data, 'postgres')
  }

  async start(): Promise<void> {
    buildServer()
    chmodSync(this.folder, 0o711)
    for (const part of ['supabase', 'shared'])
      cpSync(repositoryFile(part), join(this.folder, part), { recursive: true })
    mkdirSync(this.disk)
    this.hasOwnDisk = mountDisk(this.disk)
    chmodSync(this.disk, 0o711)
    await prepareDataDir(this.data, 'meadowlark')
    this.ports = [await freePort(), await freePort(), await freePort()]
    await this.mailBack()
    this.one = await this.startOne()
    await this.sql(LIFT_LIMITS)
    await this.sql(`alter system set max_wal_size = '96MB'`)
    await this.sql('select pg_reload_conf()')
    mkdirSync(join(this.folder, 'two'))
    copyFileSync(join(this.data, 'keys.json'), join(this.folder, 'two/keys.json'))
    this.wireUrl = await this.wire.url(runningUrl(this.cluster) as string)
    this.two = await this.startTwo()
  }

  async end(): Promise<void> {
    await this.two?.end('SIGTERM')
    await this.one?.end('SIGTERM')
    this.wire.end()
    this.smtp?.close()
    if (this.hasOwnDisk) execFileSync('umount', ['-l', this.disk])
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** The last that the servers have printed, as what one died of. */
  printed(): string {
    return [this.one, this.two].map((server) => server.printed().slice(-2000)).join('\n')
  }

  private get environment(): Record<string, string> {
    return {
      LOG_LEVEL: 'fatal',
      STRIPE_SANDBOX: 'true',
      SMTP_ADMIN_EMAIL: 'ada@example.com',
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: String(this.ports[2]),
    }
  }

  private startOne(): Promise<ServerProcess> {
    return startAgain({
      dataDir: this.data,
      workdir: this.folder,
      port: this.ports[0],
      env: this.environment,
    })
  }

  private startTwo(): Promise<ServerProcess> {
    return startAgain({
      dataDir: join(this.folder, 'two'),
      workdir: this.folder,
      port: this.ports[1],
      env: { ...this.environment, DATABASE_URL: this.wireUrl },
    })
  }

  private mailBack(): Promise<void> {
    this.smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      closeTimeout: 200,
      onData: (stream, _session, done) => void stream.resume().on('end', () => done()),
    })
    this.smtp.on('error', () => {})
    return new Promise((resolve) => this.smtp.listen(this.ports[2], '127.0.0.1', resolve))
  }

  /** As the cluster's superuser, on a separate connection: the faults hit those of the servers. */
  async sql<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client(this.databaseUrl)
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.query<Row>(text, values)).rows
    } finally {
      await client.end().catch(() => {})
    }
  }

  /** Of the cluster's superuser; leads nowhere while it does not run. */
  get databaseUrl(): string {
    return runningUrl(this.cluster) ?? 'postgresql://nobody@127.0.0.1:9/nowhere'
  }

  private signal(signal: NodeJS.Signals): void {
    const postmaster = postmasterOf(this.data)
    if (postmaster) kill(postmaster, signal)
  }

  private async fillDisk(): Promise<void> {
    if (!this.hasOwnDisk) return
    const filler = join(this.disk, 'filler')
    try {
      for (;;) writeFileSync(filler, Buffer.alloc(1_000_000), { flag: 'a' })
    } catch {
      await sleep(700)
    } finally {
      rmSync(filler, { force: true })
    }
  }

  private async setClocks(offsetMs: number): Promise<void> {
    for (const offset of [offsetMs, 0]) {
      for (const server of [this.one, this.two]) server.setClock(offset)
      if (offset !== 0) await sleep(1000)
    }
  }

  /** Once PostgreSQL is back, where the fault before has stopped it. */
  async surely<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]> {
    for (const end = performance.now() + TIMEOUT_MS; ; await sleep(100)) {
      try {
        return await this.sql<Row>(text, values)
      } catch (error) {
        if (performance.now() > end) throw error
      }
    }
  }

  private cut(which: string): Promise<unknown> {
    return this.surely(
      `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and ${which}`,
    )
  }

  private provider(fault: string): () => Promise<unknown> {
    return () =>
      this.surely(
        `insert into sandbox.stripe_faults (matches, fault, remaining) values ('POST /v1/', $1, 3)`,
        [fault],
      )
  }

  /** By name. Each ends by itself, or is ended here, as whoever runs the system would. */
  readonly faults: Record<string, () => unknown> = {
    'server killed': async () => {
      await this.two.end('SIGKILL')
      this.two = await this.startTwo()
    },
    'server killed that carries PostgreSQL': async () => {
      await this.one.end('SIGKILL')
      this.one = await this.startOne()
    },
    'server and PostgreSQL killed': async () => {
      const gone = this.one.end('SIGKILL')
      this.signal('SIGKILL')
      await gone
      this.one = await this.startOne()
    },
    'server stopped and started': async () => {
      await this.two.end('SIGTERM')
      this.two = await this.startTwo()
    },
    'PostgreSQL killed': () => this.signal('SIGKILL'),
    'PostgreSQL restarted, fast': () => this.signal('SIGINT'),
    'PostgreSQL restarted, immediate': () => this.signal('SIGQUIT'),
    'a process of PostgreSQL killed': async () => {
      const [found] = await this.surely<{ pid: number }>(
        `select pid from pg_stat_activity where application_name = 'meadowlark-rest' limit 1`,
      )
      if (found) kill(found.pid, 'SIGKILL')
    },
    'replication cut': () => this.cut(`backend_type = 'walsender'`),
    'lines between servers cut': () => this.cut(`query ilike '%listen %'`),
    'every connection cut': () => this.cut(`backend_type = 'client backend'`),
    'network of one server cut': async () => {
      this.wire.cut()
      await sleep(800)
      this.wire.mend()
    },
    'network of one server silent': async () => {
      this.wire.hold()
      await sleep(1500)
      this.wire.release()
    },
    'disk full': () => this.fillDisk(),
    'mail away': async () => {
      await new Promise<void>((resolve) => this.smtp.close(() => resolve()))
      await sleep(500)
      await this.mailBack()
    },
    'provider errs': this.provider('error_before_acting'),
    'provider silent after acting': this.provider('timeout_after_acting'),
    'provider tells twice': this.provider('webhook_twice'),
    'provider tells before it answers': this.provider('webhook_before_answer'),
    'provider tells late': this.provider('webhook_late'),
    'clocks set back': () => this.setClocks(-3_600_000),
    // Beyond what a token lasts.
    'clocks set ahead': () => this.setClocks(7_200_000),
  }
}

/** As a service manager does, which begins a server again when it could not start. */
async function startAgain(options: ProcessOptions): Promise<ServerProcess> {
  for (const end = performance.now() + TIMEOUT_MS; ; await sleep(500)) {
    try {
      return await startProcess(options)
    } catch (error) {
      if (performance.now() > end) throw error
    }
  }
}

/** One that has ended meanwhile is gone as it was to be. */
function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Whether this account may make a separate disk; where it may not, the disk is never full. */
function mountDisk(at: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', at], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
