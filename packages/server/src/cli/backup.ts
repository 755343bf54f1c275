// A base backup at once, of a server that runs; or what there is.
import { backupNow, listBackups } from '../backup/commands.ts'
import { type CommandContext, readOptions, UsageError } from './command.ts'

export const usage = (call: string) => `Usage: ${call} [COMMAND] [--workdir DIR]
  now                takes a base backup of the running server (default)
  list               the base backups, the oldest first
  --workdir DIR      folder that holds the supabase folder of the project (default: this one)
Where backups go is set by BACKUP_DIR or BACKUP_S3_BUCKET, as for the server.
`

export async function run(args: string[], { loadConfig }: CommandContext): Promise<number> {
  const { values, positionals } = readOptions(args, {})
  const [command = 'now', ...more] = positionals
  if (!['now', 'list'].includes(command) || more.length > 0) throw new UsageError()
  const config = loadConfig({ workdir: values.workdir })
  const manifests = command === 'list' ? await listBackups(config) : [await backupNow(config)]
  for (const { id, endedAt, files, tarBytes, objects } of manifests)
    process.stdout.write(
      `${id}  ended ${endedAt}  ${files} files, ${megabytes(tarBytes)}, ${objects} objects\n`,
    )
  if (manifests.length === 0) process.stdout.write('No base backup yet.\n')
  return 0
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
