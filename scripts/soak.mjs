// `npm run test:soak`: the endurance tests at full size (kills by the dozen, crowds, malformed requests by the ten
// thousand, long random lives), far longer than the gate. Files that ask tests/support/soak.ts for an amount
// are run one after the other. A word narrows it to files whose path holds it: `npm run test:soak -- kill`.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const words = process.argv.slice(2)
const files = readdirSync(join(root, 'tests'), { recursive: true })
  .map((path) => join('tests', path))
  .filter((path) => path.endsWith('.test.ts'))
  .filter((path) => readFileSync(join(root, path), 'utf8').includes('support/soak.ts'))
  .filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
if (files.length === 0) {
  process.stderr.write(`no endurance test's path holds ${words.join(' or ')}\n`)
  process.exit(1)
}
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--maxWorkers=1', '--isolate', ...files],
  { cwd: root, stdio: 'inherit', env: { ...process.env, SOAK: 'true' } },
)
process.exitCode = status ?? 1
