// `npm test`, the one gate: formatting and lint, unused code, types, build, unit + database + protocol tests, and the
// end-to-end tests in a real Chromium. Nothing stops early; the last line counts everything. In CI, up to five test
// files that failed are run once more, alone, at the end: what passes then is named as unstable, and does not fail it.
//
//   npm test                      everything
//   npm test -- database          one step or project; several may be named
//   npm test -- protocol refresh  only files whose path holds the word
//   npm test -- server            the tests of one package, packages/server
//   npm test -- changed           what differs from main can affect: unit tests in full, of the others what changed.mjs finds
//   npm test -- 1/3               the first third of it, for three machines side by side
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { changeSinceMain, journeysOf, projectsInFull } from './changed.mjs'
import { findBrowser } from './find-browser.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const results = join(root, 'test-results')
const PROJECTS = ['unit', 'server', 'stripe-sandbox', 'database', 'protocol']
const MAX_FILES_RUN_AGAIN = 5
/** Each further checker works out again what another knows: four, the default, take twice the processor time of one. */
const TYPES_OPTIONS = ['-b', '--checkers', '1']
const STEPS = ['check', 'unused', 'types', 'build', ...PROJECTS, 'e2e']

const SHARD = /^([1-9]\d*)\/[1-9]\d*$/
const shard = process.argv.slice(2).find((word) => SHARD.test(word))
const words = process.argv.slice(2).filter((word) => word !== shard && word !== 'changed')
const change = process.argv.includes('changed') ? changeSinceMain(root) : null
const journeys = change ? journeysOf(root, change.files) : 'all'
const named = words.filter((word) => STEPS.includes(word))
const fileFilters = words.filter((word) => !STEPS.includes(word))
const wanted = new Set(named.length > 0 ? named : fileFilters.length > 0 ? [...PROJECTS, 'e2e'] : STEPS)
if (journeys.length === 0) for (const step of ['e2e', 'build']) wanted.delete(step)
if (wanted.has('e2e')) wanted.add('build')
// Checks of the whole source belong to the first shard.
if (shard && SHARD.exec(shard)?.[1] !== '1')
  for (const step of ['check', 'unused', 'types']) wanted.delete(step)
const filtered = fileFilters.length > 0

/** The file that a package runs as its command, so that neither a shell nor npx is needed. */
function commandOf(packageName, command = packageName) {
  const manifest = join(root, 'node_modules', packageName, 'package.json')
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'))
  return join(dirname(manifest), typeof bin === 'string' ? bin : bin[command])
}

/**
 * Runs one Node command in the repository; its output is shown as it comes, or returned with `quiet`. Resolves to its
 * exit code and that output.
 */
function node(args, { env = {}, quiet = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      env: { ...process.env, ...env },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => (output += text))
    child.on('error', (error) => resolve({ code: 1, output: error.message }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

function readReport(name) {
  try {
    return JSON.parse(readFileSync(join(results, name), 'utf8'))
  } catch {
    return undefined
  }
}

/** A runner that exits with a failure but names none could not start. */
function counted(code, step, { passed, skipped, failures } = { passed: 0, skipped: 0, failures: [] }) {
  const unnamed = code !== 0 && failures.length === 0
  return {
    passed,
    skipped,
    failures: unnamed ? [{ name: `${step} ended with exit code ${code}` }] : failures,
  }
}

/** One command that is right or wrong as a whole. Its output is printed when it ends, since it has neighbours. */
async function oneCheck(step, args) {
  const { code, output } = await node(args, { quiet: true })
  process.stderr.write(output)
  return counted(code, step, { passed: code === 0 ? 1 : 0, skipped: 0, failures: [] })
}

async function vitest(projects, { files = fileFilters, alone = false, since = null } = {}) {
  rmSync(join(results, 'vitest.json'), { force: true })
  const { code } = await node(
    [
      commandOf('vitest'),
      'run',
      ...projects.map((project) => `--project=${project}`),
      '--allowOnly=false',
      ...(filtered || since ? ['--passWithNoTests'] : []),
      ...(since ? [`--changed=${since}`] : []),
      ...(shard && !alone ? [`--shard=${shard}`] : []),
      '--reporter=default',
      '--reporter=./scripts/vitest-reporter.mjs',
      ...(alone ? ['--maxWorkers=1', '--isolate'] : []),
      ...files,
    ],
    { env: { GATE_REPORT: join(results, 'vitest.json') } },
  )
  return counted(code, 'vitest', readReport('vitest.json'))
}

async function endToEnd({ files = journeys === 'all' ? fileFilters : journeys, alone = false } = {}) {
  let browser
  try {
    browser = await findBrowser()
  } catch (error) {
    return { passed: 0, skipped: 0, failures: [{ name: `e2e: ${error.message}` }] }
  }
  rmSync(join(results, 'playwright.json'), { force: true })
  const { code } = await node(
    [
      commandOf('@playwright/test', 'playwright'),
      'test',
      '--reporter=list,json',
      ...(filtered ? ['--pass-with-no-tests'] : []),
      ...(shard && !alone ? [`--shard=${shard}`] : []),
      ...(alone ? ['--workers=1'] : []),
      ...files,
    ],
    { env: { CHROME_PATH: browser, PLAYWRIGHT_JSON_OUTPUT_NAME: join(results, 'playwright.json') } },
  )
  const report = readReport('playwright.json')
  if (!report) return counted(code, 'playwright')
  const failures = [
    ...report.suites.flatMap(failedSpecs),
    ...report.errors.map(({ message }) => ({ name: `outside of tests: ${message?.split('\n')[0]}` })),
  ]
  return counted(code, 'playwright', {
    passed: report.stats.expected,
    skipped: report.stats.skipped,
    failures,
  })
}

/** Names of a suite's failed tests, those of the suites within it included. */
function failedSpecs(suite) {
  const own = suite.specs
    .filter(({ ok }) => !ok)
    .map(({ file, title }) => ({ file: `tests/e2e/${file}`, name: `tests/e2e/${file} > ${title}` }))
  return [...own, ...(suite.suites ?? []).flatMap(failedSpecs)]
}

const projects = PROJECTS.filter((project) => wanted.has(project))
const whole = change && projectsInFull(change.files).add('unit')
const inFull = projects.filter((project) => !whole || whole.has(project))
const related = projects.filter((project) => !inFull.includes(project))
// Steps of one group run at the same time.
const groups = [
  [
    [
      'check',
      'formatting and lint',
      () => oneCheck('check', [commandOf('@biomejs/biome', 'biome'), 'check', '.']),
    ],
    [
      'unused',
      'unused exports, files and dependencies',
      () => oneCheck('unused', [commandOf('knip'), '--no-progress']),
    ],
    ['types', 'types', () => oneCheck('types', [commandOf('typescript', 'tsc'), ...TYPES_OPTIONS])],
    ['build', 'build', () => oneCheck('build', ['scripts/build.mjs'])],
  ],
  [[inFull[0], `${inFull.join(', ')} tests`, (again) => vitest(inFull, again)]],
  [
    [
      related[0],
      `tests of ${related.join(', ')} that import a changed file`,
      (again) => vitest(related, { since: change?.base, ...again }),
    ],
  ],
  [['e2e', 'end-to-end tests', (again) => endToEnd(again)]],
]
  .map((group) => group.filter(([name]) => wanted.has(name)))
  .filter((group) => group.length > 0)

rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })
const began = performance.now()
const all = []
for (const group of groups) {
  console.error(`\n━━ ${group.map(([, title]) => title).join(', ')}`)
  await Promise.all(
    group.map(async ([, title, work]) => {
      const started = performance.now()
      const result = await work()
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      console.error(lineOf(all[all.push({ ...result, title, work, seconds, unstable: [] }) - 1]))
    }),
  )
}
if (process.env.CI) await runAgain()

const total = (key) => all.reduce((sum, step) => sum + step[key], 0)
const failures = all.flatMap((step) => step.failures)
const unstable = all.flatMap((step) => step.unstable)
console.error(
  `\n━━ all (${((performance.now() - began) / 1000).toFixed(1)} s)\n${all.map(lineOf).join('\n')}`,
)
// Last, since a long output is often cut to its end.
if (unstable.length > 0) console.error(`\n━━ unstable: failed once, passed alone\n${namesOf(unstable)}`)
if (failures.length > 0) console.error(`\n━━ failed\n${namesOf(failures)}\n`)
process.exitCode = failures.length > 0 ? 1 : 0
const skipped = total('skipped') > 0 ? `, ${total('skipped')} skipped` : ''
process.stdout.write(`${total('passed')} passed, ${failures.length} failed${skipped}\n`)

/** Runs the files that failed once more, one after the other, while nothing else does; many are no accident. */
async function runAgain() {
  const files = new Set(all.flatMap(({ failures }) => failures.map(({ file }) => file)))
  if (files.size === 0 || files.size > MAX_FILES_RUN_AGAIN || files.has(undefined)) return
  for (const step of all.filter(({ failures }) => failures.length > 0)) {
    const own = [...new Set(step.failures.map(({ file }) => file))]
    console.error(`\n━━ once more, alone: ${own.join(', ')}`)
    const { failures } = await step.work({ files: own, alone: true })
    if (failures.length > 0) continue
    step.passed += step.failures.length
    step.unstable = step.failures
    step.failures = []
  }
}

function lineOf({ title, passed, failures, seconds }) {
  return `${failures.length === 0 ? '✓' : '✗'} ${title}: ${passed} passed, ${failures.length} failed (${seconds} s)`
}

function namesOf(tests) {
  return tests.map(({ name }) => `✗ ${name}`).join('\n')
}
