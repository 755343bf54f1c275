// This package's server on an empty project and the stage's PostgreSQL.
import { mkdirSync, writeFileSync } from 'node:fs'
import { type MeasuredProcess, type ProcessOptions, startProcess } from './process.ts'
import type { Stage } from './stage.ts'

/** As `npm start` of the marketplace runs it. */
const NODE_OPTIONS = ['--v8-pool-size=1', '--max-semi-space-size=4']

export type Server = MeasuredProcess<{ port: number; publishable: string; secret: string }>

export interface ServerOptions extends Pick<ProcessOptions, 'node'> {
  port: number
  /** Name of its data directory, and of its database if `database` is missing. */
  name: string
  /** A database that several servers share. */
  database?: string
  /** Text of supabase/config.toml. */
  config?: string
  env?: Record<string, string>
}

/** Starts a production server, whose database is made if it is missing. Ends with the stage. */
export async function startServer(
  stage: Stage,
  { port, name, database = name, config = '', env = {}, node = [] }: ServerOptions,
): Promise<Server> {
  const workdir = `${stage.directory}/project-${name}`
  mkdirSync(`${workdir}/supabase`, { recursive: true })
  writeFileSync(`${workdir}/supabase/config.toml`, config)
  const found = await stage.sql('postgres', 'select from pg_database where datname = $1', [database])
  if (found.length === 0) await stage.sql('postgres', `create database ${database}`)
  return startProcess(stage, 'server.mjs', {
    args: ['--workdir', workdir, '--production'],
    env: {
      // Measured without an address and a mail server.
      ALLOW: 'missing-site-url,missing-smtp',
      DATA_DIR: `${stage.directory}/data-${name}`,
      DATABASE_URL: (await stage.postgres()).url(database),
      PORT: String(port),
      ...env,
    },
    node: [...NODE_OPTIONS, ...node],
  })
}
