// npm run psql [-- --workdir DIR] [ARGUMENTS OF PSQL]: opens the database of a running server as its owner.
import { spawn } from 'node:child_process'
import { loadCommands } from './ensure-built.mjs'

const { workdir, rest } = readArguments(process.argv.slice(2))

const { describe, loadConfig, runningDatabaseUrl } = await loadCommands()

try {
  openPsql(runningDatabaseUrl(loadConfig({ workdir })))
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = 1
}

/** The project's folder (default: this one), and what is left for psql. */
function readArguments(args) {
  const at = args.indexOf('--workdir')
  if (at < 0) return { workdir: '.', rest: args }
  return { workdir: args[at + 1] ?? '.', rest: args.toSpliced(at, 2) }
}

/** Ends as psql ends, or with 1 and the URL for other clients where psql is not installed. */
function openPsql(url) {
  // Ctrl-C is for psql, which cancels the statement.
  process.on('SIGINT', () => {})
  const psql = spawn('psql', [url, ...rest], { stdio: 'inherit' })
  psql.on('error', (error) => {
    const reason =
      error.code === 'ENOENT' ? 'psql is not installed' : `psql does not start (${error.message})`
    process.stderr.write(`${reason}. Open the database with another client:\n${url}\n`)
    process.exitCode = 1
  })
  psql.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
