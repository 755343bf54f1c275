// `npm run test:soak`: the endurance tests at full size (kills by the dozen, crowds, malformed requests by the ten
// thousand, long random lives), far longer than the gate. Files that ask packages/server/tests/support/soak.ts for an amount
// are run one after the other. A word narrows it to files whose path holds it: `npm run test:soak -- kill`.
//
// Three words select the whole protocol suite on another database, narrowed by those that follow:
// - `plain-owner`: an account that is not a superuser, on Debian's PostgreSQL;
// - `postgres-versions`: each version named, as in `npm run test:soak -- postgres-versions 16 rest/`, or all of them;
// - `earlier-version`: earlier-version.mjs.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { programsOf, RELEASES } from '@meadowlark/server/cli/postgres-programs.mjs'
import { onTodaysSchema } from './earlier-version.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const words = process.argv.slice(2)
process.exitCode = run(words)

function run([first, ...rest]) {
  if (first === 'plain-owner') return protocolSuite(rest, { PLAIN_OWNER: 'true' })
  if (first === 'earlier-version') {
    const [commit = 'HEAD~1', ...paths] = rest
    return onTodaysSchema(root, commit, (folder) => protocolSuite(paths, {}, folder))
  }
  if (first !== 'postgres-versions') return enduranceTests(words)
  const named = rest.filter((word) => word in RELEASES)
  const paths = rest.filter((word) => !(word in RELEASES))
  const failed = (named.length > 0 ? named : Object.keys(RELEASES)).filter((version) => {
    process.stdout.write(`\nPostgreSQL ${version}\n`)
    // Debian's own where it is installed: that is what people have.
    const debian = `/usr/lib/postgresql/${version}/bin`
    const programs = existsSync(join(debian, 'initdb')) ? debian : programsOf(version)
    return protocolSuite(paths, { POSTGRES_BIN: programs }) !== 0
  })
  if (failed.length > 0) process.stderr.write(`failed with PostgreSQL ${failed.join(', ')}\n`)
  return failed.length > 0 ? 1 : 0
}

function enduranceTests(words) {
  const files = ['tests', 'packages/server/tests']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, path)),
    )
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => readFileSync(join(root, path), 'utf8').includes('support/soak.ts'))
    .filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
  if (files.length > 0) return vitest(['--maxWorkers=1', '--isolate', ...files], { SOAK: 'true' })
  process.stderr.write(`no endurance test's path holds ${words.join(' or ')}\n`)
  return 1
}

function protocolSuite(paths, env, folder = root) {
  const files = (paths.length > 0 ? paths : ['']).flatMap((path) => [
    `tests/protocol/${path}`,
    `packages/server/tests/${path}`,
  ])
  return vitest(['--project', 'protocol', '--project', 'server', ...files], env, folder)
}

function vitest(args, env, cwd = root) {
  const { status } = spawnSync(
    process.execPath,
    [join(cwd, 'node_modules/vitest/vitest.mjs'), 'run', ...args],
    { cwd, stdio: 'inherit', env: { ...process.env, ...env } },
  )
  return status ?? 1
}
