// Opens the database of a running server as its owner.
import { spawn } from 'node:child_process'
import type { CommandContext } from './command.ts'
import { runningDatabaseUrl } from './project-database.ts'

export const usage = (call: string) => `Usage: ${call} [--workdir DIR] [ARGUMENTS OF PSQL]\n`

/** Ends as psql ends, or with 1 and the URL for other clients where psql is not installed. */
export async function run(args: string[], { loadConfig }: CommandContext): Promise<number> {
  const { workdir, rest } = readArguments(args)
  const url = runningDatabaseUrl(loadConfig({ workdir }))
  // Ctrl-C is for psql, which cancels the statement.
  process.on('SIGINT', () => {})
  const psql = spawn('psql', [url, ...rest], { stdio: 'inherit' })
  return new Promise((resolve) => {
    psql.on('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'ENOENT' ? 'psql is not installed' : `psql does not start (${error.message})`
      process.stderr.write(`${reason}. Open the database with another client:\n${url}\n`)
      resolve(1)
    })
    psql.on('exit', (code) => resolve(code ?? 1))
  })
}

/** The project's folder (default: this one), and the remaining arguments for psql. */
function readArguments(args: string[]): { workdir: string; rest: string[] } {
  const at = args.indexOf('--workdir')
  if (at < 0) return { workdir: '.', rest: args }
  return { workdir: args[at + 1] ?? '.', rest: args.toSpliced(at, 2) }
}
