// The command line: reads the options, starts the server, says where it is, and stops it on a signal.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Config, ConfigError, type ConfigSources } from '../config/config.ts'
import { secretsOf } from '../config/config-secrets.ts'
import { redact, redactor } from '../config/redact.ts'
import { type RunningServer, type StartOptions, startServer } from '../main.ts'
import { createLog } from '../observability/log.ts'
import type { Plugin } from '../plugin.ts'
import { describe } from './describe-error.ts'

const usage = (command: string) => `Usage: ${command} [options]
  --workdir DIR    folder that holds the supabase folder to run (default: this one)
  --production     no demo data, no sandbox (also with NODE_ENV=production)
  --help           this text
`

/** So many milliseconds after its requests had to be finished a stop is given up; PostgreSQL ends with this process. */
const STOP_TIMEOUT_MS = 30_000
/** A second signal within this many milliseconds is the same one: npm passes on what the terminal sent as well. */
const SAME_SIGNAL_MS = 500

export interface StartCommand extends Pick<StartOptions, 'reload' | 'webApp'> {
  args: string[]
  /** As the operator types it: `npm start --`. */
  command: string
  loadConfig: (sources: Pick<ConfigSources, 'workdir' | 'production'>) => Config
  pluginsFor: (config: Config) => Plugin[]
  /** Called once the server listens, before the warnings are printed. */
  onReady?: (server: RunningServer) => void
}

/** Runs the server until a signal ends it. Sets the exit code; errors made to be read are printed without a stack. */
export async function start({
  args,
  command,
  loadConfig,
  pluginsFor,
  onReady,
  ...options
}: StartCommand): Promise<void> {
  let printable = redact
  try {
    const sources = readArguments(args, command)
    if (!sources) return
    const config = loadConfig(sources)
    const secrets = secretsOf(config)
    printable = redactor(secrets)
    const log = createLog({ level: config.logLevel, secrets })
    // Functions of the project run in this process: a promise that one of them drops must not end it.
    process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled promise rejection'))
    const stopped = waitForSignal()
    const server = await startServer({ ...options, config, plugins: pluginsFor(config), log })
    onReady?.(server)
    for (const warning of server.warnings) process.stdout.write(`\n  ! ${warning}\n`)
    const signal = await stopped
    process.stdout.write(`\n  ${signal}: stopping; a second one ends everything at once\n`)
    await Promise.race([
      server.stop(),
      sleep(config.shutdownDelay + config.shutdownTimeout + STOP_TIMEOUT_MS),
    ])
    // Timers and sockets that a handler left must not keep a stopped server alive.
    process.exit(0)
  } catch (error) {
    process.stderr.write(`\n${printable(describe(error))}\n\n`)
    process.exitCode = 1
    process.exit()
  }
}

function readArguments(args: string[], command: string): { workdir: string; production: boolean } | null {
  const options = {
    workdir: { type: 'string', default: '.' },
    production: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const
  try {
    const { values } = parseArgs({ args, options })
    if (!values.help) return values
    process.stdout.write(usage(command))
    return null
  } catch (error) {
    throw new ConfigError([`${(error as Error).message}\n\n${usage(command)}`])
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
