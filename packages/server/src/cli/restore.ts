// Puts a backup into DATA_DIR and looks at what came of it; or lists what can be restored.
import { listRestorable, restoreBackup } from '../backup/commands.ts'
import type { Config } from '../config/config.ts'
import { type CommandContext, readOptions, UsageError } from './command.ts'
import { printFindings } from './findings.ts'

export const usage = (call: string) =>
  `Usage: ${call} [--to TIME] [--base NAME] [--replace] [--list] [--workdir DIR]
  --to TIME          the moment to go back to, as 2026-11-22T14:30:00-06:00 (default: the last that is kept)
  --base NAME        the base backup to begin with, as --list names it (default: the newest that leads there)
  --replace          put the database that is in DATA_DIR aside; without it, one that is there is never touched
  --list             list the base backups, and up to which moment each can go; restores nothing
  --workdir DIR      folder that holds the supabase folder of the project (default: this one)
Where backups are is set by BACKUP_DIR or BACKUP_S3_BUCKET. Stop the server first.
Exit codes: 0 everything is restored, 2 restored, but less than there is, or with faults (the lines with !), 1 nothing is restored.
`

export async function run(args: string[], { loadConfig, checksFor }: CommandContext): Promise<number> {
  const { values, positionals } = readOptions(args, {
    to: { type: 'string' },
    base: { type: 'string' },
    list: { type: 'boolean', default: false },
    replace: { type: 'boolean', default: false },
  })
  if (positionals.length > 0) throw new UsageError()
  const to = values.to === undefined ? undefined : new Date(values.to)
  if (to && Number.isNaN(to.getTime())) throw new UsageError(`--to: ${values.to} is not a date and time`)
  const config = loadConfig({ workdir: values.workdir })
  if (values.list) return list(config)
  const began = performance.now()
  const { reaches, shortfall, objects, findings } = await restoreBackup(config, {
    to,
    base: values.base,
    replace: values.replace,
    checks: checksFor(config),
    onProgress: (line) => process.stdout.write(`  ${line}\n`),
  })
  const { total, faults } = printFindings(findings)
  process.stdout.write(
    `Restored ${total} rows and ${objects} objects in ${((performance.now() - began) / 1000).toFixed(1)} s, ` +
      `up to what was committed at ${reaches.toISOString()}.\n`,
  )
  if (shortfall) process.stdout.write(`  ! Not everything: ${shortfall}\n`)
  for (const fault of faults) process.stdout.write(`  ! ${fault}\n`)
  return faults.length === 0 && !shortfall ? 0 : 2
}

/** Resolves with the exit code: 2 when one cannot be used, or its log not be followed to the end. */
async function list(config: Config): Promise<number> {
  const found = await listRestorable(config)
  for (const { id, base, timeline, reaches, fault } of found) {
    const from = base ? `  from ${base.endedAt}` : ''
    const until = reaches ? `  until ${reaches.toISOString()}  timeline ${timeline}` : ''
    process.stdout.write(`${id}${from}${until}${fault ? `  ! ${fault}` : ''}\n`)
  }
  if (found.length === 0) process.stdout.write('No base backup yet.\n')
  return found.some(({ fault, isUnfinished }) => fault && !isUnfinished) ? 2 : 0
}
