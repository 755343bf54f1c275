// The command line: reads the options, starts the server, says where it is, and stops it on a signal.
import { existsSync, realpathSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { redact, redactor } from '../server/config/redact.ts'
import { ConfigError } from '../server/config.ts'
import { secretsOf } from '../server/config-secrets.ts'
import { createLog } from '../server/log.ts'
import { type RunningServer, type StartOptions, startServer } from '../server/start.ts'
import { describe } from './describe.ts'
import { loadConfig, pluginsFor, sandboxOf } from './plugins.ts'

const USAGE = `Usage: npm start -- [options]
  --workdir DIR    folder that holds the supabase folder to run (default: this one)
  --production     no demo data, no sandbox (also with NODE_ENV=production)
  --help           this text
`

/** So many milliseconds after its requests had to be finished a stop is given up; PostgreSQL ends with this process. */
const STOP_TIMEOUT_MS = 30_000
/** A second signal within this many milliseconds is the same one: npm passes on what the terminal sent as well. */
const SAME_SIGNAL_MS = 500

export interface MainOptions extends Pick<StartOptions, 'reload' | 'web'> {
  args: string[]
  /** Called once the server listens, before the warnings are printed. */
  onReady?: (server: RunningServer & { sandbox: ReturnType<typeof sandboxOf> }) => void
}

/** Runs the server until a signal ends it. Sets the exit code; errors made to be read are printed without a stack. */
export async function main({ args, onReady, ...start }: MainOptions): Promise<void> {
  let printable = redact
  try {
    const options = readArguments(args)
    if (!options) return
    const config = loadConfig(options)
    const secrets = secretsOf(config)
    printable = redactor(secrets)
    const log = createLog({ level: config.logLevel, secrets })
    // Functions of the project run in this process: a promise that one of them drops must not end it.
    process.on('unhandledRejection', (error) =>
      log.error({ err: error }, 'a promise failed and nobody noticed'),
    )
    const stopped = waitForSignal()
    const server = await startServer({ ...start, config, plugins: pluginsFor(config), log })
    onReady?.({ ...server, sandbox: sandboxOf(config) })
    for (const warning of server.warnings) process.stdout.write(`\n  ! ${warning}\n`)
    const signal = await stopped
    process.stdout.write(`\n  ${signal}: stopping; a second one ends everything at once\n`)
    await Promise.race([
      server.stop(),
      sleep(config.shutdownDelay + config.shutdownTimeout + STOP_TIMEOUT_MS),
    ])
    // What a handler left behind (a timer, a socket) must not keep a stopped server alive.
    process.exit(0)
  } catch (error) {
    process.stderr.write(`\n${printable(describe(error))}\n\n`)
    process.exitCode = 1
    process.exit()
  }
}

function readArguments(args: string[]): { workdir: string; production: boolean } | null {
  const options = {
    workdir: { type: 'string', default: '.' },
    production: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const
  try {
    const { values } = parseArgs({ args, options })
    if (!values.help) return values
    process.stdout.write(USAGE)
    return null
  } catch (error) {
    throw new ConfigError([`${(error as Error).message}\n\n${USAGE}`])
  }
}

/** Resolves with the first SIGINT, SIGTERM or SIGHUP; a second one ends the process at once. */
function waitForSignal(): Promise<string> {
  return new Promise((resolve) => {
    let firstAt: number | null = null
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (firstAt !== null && performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(1)
        firstAt ??= performance.now()
        resolve(signal)
      })
    }
  })
}

// Also without npm, as a service manager starts it: node .build/server.mjs --production
const [, program] = process.argv
if (program && existsSync(program) && realpathSync.native(program) === fileURLToPath(import.meta.url)) {
  await main({
    args: process.argv.slice(2),
    onReady: ({ url }) => process.stdout.write(`\n  Listening at ${url}\n`),
  })
}
