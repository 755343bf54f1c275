// npm run backup -- [now|list] [--workdir DIR]: a base backup at once, of a server that runs; or what there is.
import { parseArgs } from 'node:util'
import { loadCommands } from './ensure-built.mjs'

const USAGE = `Usage: npm run backup -- [COMMAND] [--workdir DIR]
  now                takes a base backup of the running server (default)
  list               the base backups, the oldest first
  --workdir DIR      folder that holds the supabase folder of the project (default: this one)
Where backups go is set by BACKUP_DIR or BACKUP_S3_BUCKET, as for the server.
`
const { command, workdir } = readArguments()

const { backupNow, describe, listBackups, loadConfig } = await loadCommands()

try {
  const config = loadConfig({ workdir })
  const manifests = command === 'list' ? await listBackups(config) : [await backupNow(config)]
  for (const { id, endedAt, files, tarBytes, objects } of manifests)
    process.stdout.write(
      `${id}  ended ${endedAt}  ${files} files, ${megabytes(tarBytes)}, ${objects} objects\n`,
    )
  if (manifests.length === 0) process.stdout.write('No base backup yet.\n')
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = 1
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

/** Ends with 1 unless there is one of the commands at most. */
function readArguments() {
  try {
    const options = { workdir: { type: 'string', default: '.' } }
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    const [command = 'now', ...more] = positionals
    if (['now', 'list'].includes(command) && more.length === 0) return { command, workdir: values.workdir }
    process.stderr.write(USAGE)
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`)
  }
  process.exit(1)
}
