// The production installation in which documented commands are run, with its server, and what their placeholders stand for.
import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runningUrl } from '@meadowlark/server/postgres/cluster/postmaster.ts'
import pg from 'pg'
import { freePort } from '../../../packages/server/tests/support/free-port.ts'
import { repositoryFile } from '../../../plugins/repository.ts'
import {
  ended,
  installProduction,
  type ProductionInstall,
  printedBy,
} from '../../support/production-install.ts'
import { BEFORE, type Expectation, FOR_SUPERUSER, PLACEHOLDERS } from './commands.ts'
import { standInFor } from './programs.ts'

/** Folders of the system that pages name; the installation's folder has its own copies. */
const SYSTEM_FOLDERS = ['/etc/', '/opt/', '/srv/', '/tmp/', '/usr/local/bin/', '/var/']
/** Folders that packages of others have made. */
const FOLDERS_THERE = ['/etc/nginx/conf.d', '/etc/systemd/system', '/var/backups', '/var/lib/meadowlark']
/** A mail server's report that a mail could not be delivered (RFC 3464). */
const BOUNCE = `From: theo@example.com
To: ada@example.com
Subject: Undelivered
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: text/plain

It could not be delivered.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.example

Final-Recipient: rfc822; theo@example.com
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 no such user
--b--
`
const HERE = 'http://127.0.0.1:3000'

export interface Outcome {
  code: number | null
  output: string
  /** How stand-ins for others' programs were called. */
  calls: string[]
}

export class Installation {
  private server: ChildProcess | undefined
  /** The command that runs. */
  private command: ChildProcess | undefined
  private readonly values: Record<string, string> = { ...PLACEHOLDERS }

  private constructor(
    private readonly installed: ProductionInstall,
    private readonly folder: string,
    private readonly origin: string,
    private readonly standIns: ReturnType<typeof standInFor>,
  ) {}

  static async make(): Promise<Installation> {
    const port = await freePort()
    const installed = await installProduction({
      HOST: '127.0.0.1',
      PORT: String(port),
      SITE_URL: 'https://meadowlark.example',
      ALLOW: 'missing-smtp,missing-stripe',
      METRICS_TOKEN: PLACEHOLDERS['<METRICS_TOKEN>'] as string,
      MAIL_EVENTS_PASSWORD: PLACEHOLDERS['<MAIL_EVENTS_PASSWORD>'] as string,
    })
    const folder = dirname(installed.app)
    for (const name of [...SYSTEM_FOLDERS, ...FOLDERS_THERE]) makeOpen(join(folder, 'root', name))
    symlinkSync(installed.app, join(folder, 'root/opt/meadowlark'))
    // Commands write next to the program, as root does; the build stays as it is.
    for (const name of ['', 'deploy']) chmodSync(join(installed.app, name), 0o777)
    writeFileSync(join(installed.app, 'report.eml'), BOUNCE)
    for (const name of ['keys.json', 'vapid.json']) {
      const copy = join(folder, 'root/var/lib/meadowlark', name)
      writeFileSync(copy, '{}')
      if (installed.account) own(copy, installed.account)
    }
    const home = join(installed.dataDir, 'my-app')
    cpSync(repositoryFile('tests/protocol/server/sample-project'), home, { recursive: true })
    if (installed.account) own(home, installed.account)
    return new Installation(installed, folder, `http://127.0.0.1:${port}`, standInFor(folder))
  }

  async start(): Promise<void> {
    const isFirst = Object.keys(this.values).length === Object.keys(PLACEHOLDERS).length
    this.server ??= await this.installed.start()
    const keys = JSON.parse(readFileSync(join(this.installed.dataDir, 'keys.json'), 'utf8'))
    Object.assign(this.values, {
      '<address>': this.origin,
      '<SUPABASE_PUBLIC_URL>': this.origin,
      '<publishable key>': keys.publishable,
      '<secret key>': keys.secret,
      '<secret key here>': keys.secret,
      '<data dir>': this.installed.dataDir,
      '<copy of data dir>': join(this.folder, 'root/var/copy'),
    })
    if (isFirst) await this.signUp(this.filled('<your e-mail address>'))
  }

  private async signUp(email: string): Promise<void> {
    const answer = await fetch(`${this.origin}/auth/v1/signup`, {
      method: 'POST',
      headers: { apikey: this.filled('<publishable key>') },
      body: JSON.stringify({
        email,
        password: this.filled('<password>'),
        data: { full_name: 'Ada Field', phone: '3065550100', role: 'task_giver' },
      }),
    })
    this.values['<id>'] = ((await answer.json()) as { id: string }).id
  }

  async stop(): Promise<void> {
    if (!this.server) return
    this.server.kill('SIGTERM')
    await once(this.server, 'exit')
    this.server = undefined
  }

  async remove(): Promise<void> {
    // One whose test has timed out, with all that it has started.
    if (this.command?.pid) process.kill(-this.command.pid, 'SIGKILL')
    await this.stop()
    this.installed.remove()
  }

  /** The text with values for its placeholders. Throws for one that has none. */
  filled(text: string): string {
    const filled = text.replace(/<([a-zA-Z/][^<>\n]*)>/g, (placeholder, example: string) => {
      // An address or a file's name is an example of itself.
      const value = this.values[placeholder] ?? (/[./:@]/.test(example) ? example : undefined)
      if (value === undefined) throw new Error(`${placeholder} has no value in commands.ts`)
      return value
    })
    if (filled.includes('…')) throw new Error(`a <placeholder> belongs where the "…" is: ${text}`)
    return filled.replaceAll(HERE, this.origin)
  }

  /** Runs one command of the shell, with the server running or stopped as it needs. */
  async run(command: string, expected: Expectation): Promise<Outcome> {
    await (expected.server === 'stopped' ? this.stop() : this.start())
    const place = join(this.folder, 'root')
    const moved = SYSTEM_FOLDERS.reduce(
      (text, name) => text.replaceAll(new RegExp(`(?<=^|[\\s=:'"])${name}`, 'g'), `${place}${name}`),
      command,
    )
    const line = this.filled(moved)
    const port = String(await freePort())
    const env = Object.entries(expected.env ?? {}).map(([name, value]) => [
      name,
      value.replace('<free port>', port),
    ])
    // A signal to what serves is for npm itself, not for a shell around it.
    const child = this.installed.shell(expected.serves ? `exec env ${line}` : line, {
      PATH: `${this.standIns.path}:${process.env.PATH}`,
      SECRET_KEY: this.values['<secret key>'] ?? '',
      ...this.clientEnvironment(),
      npm_config_cache: join(this.installed.dataDir, '.npm'),
      npm_config_update_notifier: 'false',
      ...Object.fromEntries(env),
    })
    this.command = child
    const printed = printedBy(child)
    if (expected.serves)
      child.stdout?.on('data', () => {
        if (expected.prints?.test(printed())) child.kill('SIGTERM')
      })
    const { code, output } = await ended(child)
    this.command = undefined
    // Settings would count from the next start on.
    if (/alter system/.test(command)) await this.query('', 'alter system reset all')
    const [placeholder, value] = expected.remembers ?? []
    if (placeholder) this.values[placeholder] = value?.exec(output)?.[0] ?? ''
    // npm ends by the signal that it passed on.
    return { code: expected.serves ? (code ?? 0) : code, output, calls: this.standIns.calls() }
  }

  /** How psql and its like find the database, as its superuser. */
  private clientEnvironment(): Record<string, string> {
    const url = runningUrl(join(this.installed.dataDir, 'postgres'))
    if (!url) return {}
    const [, user = '', sockets = '', port = ''] = /\/\/(\w+)@([^:]+):(\d+)/.exec(url) ?? []
    return { PGHOST: decodeURIComponent(sockets), PGPORT: port, PGUSER: user, PGDATABASE: 'postgres' }
  }

  /**
   * Runs a page's statements in a transaction that is rolled back; those that cannot be in one by themselves, as the
   * superuser.
   */
  async query(page: string, sql: string): Promise<void> {
    await this.start()
    const client = new pg.Client(runningUrl(join(this.installed.dataDir, 'postgres')) ?? '')
    await client.connect()
    try {
      if (/^\s*(create database|drop database|alter system|vacuum)\b/im.test(sql)) {
        for (const statement of this.filled(sql).split(/;\s*$/m)) await client.query(statement)
        // Settings would count from the next start on.
        await client.query('alter system reset all')
      } else {
        await client.query(`begin; ${BEFORE[page] ?? ''}`)
        if (!FOR_SUPERUSER.includes(page)) await client.query('set local role postgres')
        await client.query(this.filled(sql))
        await client.query('rollback')
      }
    } finally {
      await client.end()
    }
  }
}

function own(folder: string, { uid, gid }: { uid: number; gid: number }): void {
  spawnSync('chown', ['-R', `${uid}:${gid}`, folder])
  chownSync(folder, uid, gid)
}

/** Makes a folder into which everybody may write. */
function makeOpen(folder: string): void {
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o777)
}

/** Whether a program is on PATH. */
export const isInstalled = (program: string) => spawnSync(program, ['--version']).error === undefined

/** Writes a file below a folder, with the folders above it. */
export function writeBelow(folder: string, name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}
