// pgbench, PostgreSQL's own load generator: the rate of the database without a server in front of it.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Stage } from '../../packages/server/bench/stage/stage.ts'

/** Path of the newest pgbench of this machine; null when there is none (Debian: `apt install postgresql-15`). */
function findPgbench(): string | null {
  const packaged = '/usr/lib/postgresql'
  const versions = existsSync(packaged) ? readdirSync(packaged).sort((a, b) => Number(b) - Number(a)) : []
  const places = [
    ...versions.map((version) => join(packaged, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ]
  return places.map((place) => join(place, 'pgbench')).find((path) => existsSync(path)) ?? null
}

export type Prepared = { text: string; values: (string | null)[] }

/**
 * Transactions per second of `statements`, prepared, in one round trip and one transaction each, on `connections`
 * connections as `user`.
 */
export async function pgbench(
  stage: Stage,
  options: {
    database: string
    user: string
    statements: Prepared[]
    connections: number
    seconds: number
    /** Holds the transactions back to this rate. */
    perSecond?: number
  },
): Promise<number> {
  const program = findPgbench()
  if (!program) throw new Error('pgbench is not installed (Debian: apt install postgresql-15)')
  const variables: string[] = []
  const lines = options.statements.map(({ text, values }, statement) => {
    const name = (index: number) => `s${statement}v${index}`
    values.forEach((value, index) => {
      variables.push('-D', `${name(index + 1)}=${value ?? ''}`)
    })
    return `${text.replace(/\$(\d+)/g, (_, index) => `:${name(Number(index))}`)};`
  })
  const script = join(stage.directory, 'pgbench.sql')
  writeFileSync(script, ['\\startpipeline', ...lines, '\\endpipeline', ''].join('\n'), { mode: 0o644 })
  const url = new URL((await stage.postgres()).url(options.database, options.user))
  const { stdout } = await promisify(execFile)(program, [
    ...['-n', '-M', 'prepared', '-f', script, '-T', String(Math.ceil(options.seconds))],
    ...(options.perSecond ? ['-R', String(Math.ceil(options.perSecond))] : []),
    ...['-c', String(options.connections), '-h', decodeURIComponent(url.hostname), '-p', url.port],
    ...['-U', options.user, ...variables, options.database],
  ])
  const rate = /tps = ([\d.]+)/.exec(stdout)?.[1]
  if (rate === undefined) throw new Error(`pgbench says: ${stdout}`)
  return Number(rate)
}
