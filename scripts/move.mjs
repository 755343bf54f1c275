// npm run move -- [--replace] [--sessions] [--workdir DIR]: brings all data from one home of the project to another.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadCommands } from './ensure-built.mjs'

const USAGE = `Usage: npm run move -- [--replace] [--sessions] [--workdir DIR]
  --replace          empty the target first; without it, one where people have accounts is never touched
  --sessions         take along who is signed in (where both have the same keys)
  --workdir DIR      folder that holds the supabase folder of the project (default: this one)
From and to where is set by FROM_DATABASE_URL, FROM_API_URL, FROM_SECRET_KEY, TO_DATABASE_URL, TO_API_URL and TO_SECRET_KEY.
One of the databases may be left out: it is that of the server that runs here.
`
const values = readArguments()

const { describe, loadConfig, move, readBaseline, runningDatabaseUrl } = await loadCommands()

try {
  const { rows, objects, secrets, changed } = await move({
    from: home('FROM'),
    to: home('TO'),
    replace: values.replace,
    sessions: values.sessions,
    baseline: readBaseline(join(values.workdir, 'supabase')),
    onProgress: (line) => process.stdout.write(`  ${line}\n`),
  })
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
  process.stdout.write(`Moved ${total} rows and ${objects} objects.\n`)
  if (secrets.length > 0) process.stdout.write(`  In the vault: ${secrets.join(', ')}\n`)
  if (changed.length > 0) {
    process.stdout.write(
      `  ! written at the source meanwhile, so the target is older: ${changed.join(', ')}; keep people out and run it again with --replace\n`,
    )
    process.exitCode = 2
  }
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = 1
}

function home(side) {
  const {
    [`${side}_DATABASE_URL`]: database,
    [`${side}_API_URL`]: url,
    [`${side}_SECRET_KEY`]: key,
  } = process.env
  return {
    database: database ?? runningDatabaseUrl(loadConfig({ workdir: values.workdir })),
    api: url && key ? { url, key } : null,
  }
}

/** Ends with 1 unless every option is known and one of the homes is another one. */
function readArguments() {
  try {
    const options = {
      workdir: { type: 'string', default: '.' },
      replace: { type: 'boolean', default: false },
      sessions: { type: 'boolean', default: false },
    }
    const { values } = parseArgs({ options })
    if (process.env.FROM_DATABASE_URL || process.env.TO_DATABASE_URL) return values
    throw new Error('FROM_DATABASE_URL, TO_DATABASE_URL: set one of them, or both')
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`)
    process.exit(1)
  }
}
