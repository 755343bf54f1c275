// npm run doctor [-- --workdir DIR] [--production]: looks at a whole installation and says what to do. Ends with 1 when
// something does not work.
import { parseArgs } from 'node:util'
import { loadCommands } from './ensure-built.mjs'

const SIGNS = { ok: 'ok     ', warning: 'WARNING', failure: 'FAILURE' }

const { describe, examine, loadConfig, pluginsFor } = await loadCommands()

try {
  const { values } = parseArgs({
    options: { workdir: { type: 'string', default: '.' }, production: { type: 'boolean', default: false } },
  })
  const counts = { ok: 0, warning: 0, failure: 0 }
  const config = loadConfig(values)
  for await (const { level, about, message } of examine(config, pluginsFor(config))) {
    counts[level] += 1
    process.stdout.write(`${SIGNS[level]}  ${about}: ${message}\n`)
  }
  process.stdout.write(`\n${counts.failure} not working, ${counts.warning} to look at\n`)
  process.exitCode = counts.failure > 0 ? 1 : 0
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = 1
}
