// Looks at a whole installation and says what to do. Ends with 1 when something does not work.
import { examine } from '../doctor/doctor.ts'
import { type CommandContext, readOptions, UsageError } from './command.ts'

const SIGNS = { ok: 'ok     ', warning: 'WARNING', failure: 'FAILURE' }

export const usage = (call: string) => `Usage: ${call} [--production] [--workdir DIR]
  --production       as the server is started, also with NODE_ENV=production
  --workdir DIR      folder that holds the supabase folder of the project (default: this one)
`

export async function run(args: string[], { loadConfig, pluginsFor }: CommandContext): Promise<number> {
  const { values, positionals } = readOptions(args, { production: { type: 'boolean', default: false } })
  if (positionals.length > 0) throw new UsageError()
  const counts = { ok: 0, warning: 0, failure: 0 }
  const config = loadConfig(values)
  for await (const { level, about, message } of examine(config, pluginsFor(config))) {
    counts[level] += 1
    process.stdout.write(`${SIGNS[level]}  ${about}: ${message}\n`)
  }
  process.stdout.write(`\n${counts.failure} not working, ${counts.warning} to look at\n`)
  return counts.failure > 0 ? 1 : 0
}
