// Brings all data from one home of the project to another.
import { join } from 'node:path'
import { environment } from '../config/config.ts'
import { move } from '../move/move.ts'
import { readBaseline } from '../postgres/migrate/baseline.ts'
import { type CommandContext, readOptions, UsageError } from './command.ts'
import { runningDatabaseUrl } from './project-database.ts'

export const usage = (call: string) => `Usage: ${call} [--replace] [--sessions] [--workdir DIR]
  --replace          empty the target first; without it, one where people have accounts is never touched
  --sessions         take along who is signed in (where both have the same keys)
  --workdir DIR      folder that holds the supabase folder of the project (default: this one)
From and to where is set by FROM_DATABASE_URL, FROM_API_URL, FROM_SECRET_KEY, TO_DATABASE_URL, TO_API_URL and TO_SECRET_KEY.
One of the databases may be left out: it is that of the server that runs here.
`

export async function run(args: string[], { loadConfig }: CommandContext): Promise<number> {
  const { values, positionals } = readOptions(args, {
    replace: { type: 'boolean', default: false },
    sessions: { type: 'boolean', default: false },
  })
  const variables = environment()
  if (positionals.length > 0) throw new UsageError()
  if (!variables.FROM_DATABASE_URL && !variables.TO_DATABASE_URL)
    throw new UsageError('FROM_DATABASE_URL, TO_DATABASE_URL: set one of them, or both')
  const home = (side: 'FROM' | 'TO') => {
    const [url, key] = [variables[`${side}_API_URL`], variables[`${side}_SECRET_KEY`]]
    const database = variables[`${side}_DATABASE_URL`]
    return {
      database: database ?? runningDatabaseUrl(loadConfig({ workdir: values.workdir })),
      api: url && key ? { url, key } : null,
    }
  }
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
  if (changed.length === 0) return 0
  process.stdout.write(
    `  ! written at the source meanwhile, so the target is older: ${changed.join(', ')}; keep people out and run it again with --replace\n`,
  )
  return 2
}
