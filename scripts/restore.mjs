// npm run restore -- [--to TIME] [--replace] [--workdir DIR]: puts a backup into DATA_DIR, and looks at what came of it.
import { parseArgs } from 'node:util'
import { loadCommands } from './ensure-built.mjs'
import { CHECKS, findingsOf } from './findings.mjs'

const USAGE = `Usage: npm run restore -- [--to TIME] [--replace] [--workdir DIR]
  --to TIME          the moment to go back to, as 2026-11-22T14:30:00-06:00 (default: the last that is kept)
  --replace          put the database that is in DATA_DIR aside; without it, one that is there is never touched
  --workdir DIR      folder that holds the supabase folder of the project (default: this one)
Where backups are is set by BACKUP_DIR or BACKUP_S3_BUCKET. Stop the server first.
`
const { values, to } = readArguments()

const { describe, loadConfig, restoreBackup } = await loadCommands()

try {
  const config = loadConfig({ workdir: values.workdir })
  const began = performance.now()
  const { lastCommit, objects, findings } = await restoreBackup(config, {
    to,
    replace: values.replace,
    checks: config.ownProject ? CHECKS : {},
    onProgress: (line) => process.stdout.write(`  ${line}\n`),
  })
  const { total, faults } = findingsOf(findings)
  process.stdout.write(
    `Restored ${total} rows and ${objects} objects in ${((performance.now() - began) / 1000).toFixed(1)} s` +
      `${lastCommit ? `, up to what was committed at ${lastCommit.toISOString()}` : ''}.\n`,
  )
  for (const fault of faults) process.stdout.write(`  ! ${fault}\n`)
  process.exitCode = faults.length === 0 ? 0 : 2
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = 1
}

/** Ends with 1 unless every option is known and the moment is one. */
function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        workdir: { type: 'string', default: '.' },
        to: { type: 'string' },
        replace: { type: 'boolean', default: false },
      },
    })
    const to = values.to === undefined ? undefined : new Date(values.to)
    if (to && Number.isNaN(to.getTime())) throw new Error(`--to: ${values.to} is no moment`)
    return { values, to }
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`)
    process.exit(1)
  }
}
