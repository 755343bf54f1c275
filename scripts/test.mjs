// `npm test`, the one gate: formatting and lint, types, build, unit + database + protocol tests, and the
// end-to-end tests in a real Chromium. Nothing stops early; the last line counts everything.
//
//   npm test                      everything
//   npm test -- database          one step or project; several may be named
//   npm test -- protocol refresh  only files whose path holds the word
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findBrowser } from './find-browser.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const results = join(root, 'test-results')
const PROJECTS = ['unit', 'database', 'protocol']
const STEPS = ['check', 'types', 'build', ...PROJECTS, 'e2e']

const words = process.argv.slice(2)
const named = words.filter((word) => STEPS.includes(word))
const fileFilters = words.filter((word) => !STEPS.includes(word))
const wanted = new Set(named.length > 0 ? named : fileFilters.length > 0 ? [...PROJECTS, 'e2e'] : STEPS)
if (wanted.has('e2e')) wanted.add('build')
const filtered = fileFilters.length > 0

/** The file that a package runs as its command, so that no shell and no npx stands between. */
function commandOf(packageName, command = packageName) {
  const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`)
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'))
  return join(dirname(manifest), typeof bin === 'string' ? bin : bin[command])
}

/** Runs one Node command in the repository, its output shown as it comes. Resolves to its exit code. */
function node(args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...env },
    })
    child.on('error', (error) => {
      console.error(error.message)
      resolve(1)
    })
    child.on('close', (code) => resolve(code ?? 1))
  })
}

function readReport(name) {
  try {
    return JSON.parse(readFileSync(join(results, name), 'utf8'))
  } catch {
    return undefined
  }
}

/** A runner that exits with a failure but names none (it could not start, or left an error behind) is one failure. */
function counted(exitCode, passed, failed, skipped = 0) {
  return { passed, failed: exitCode === 0 ? failed : Math.max(failed, 1), skipped }
}

async function oneCheck(args) {
  const code = await node(args)
  return counted(code, code === 0 ? 1 : 0, 0)
}

async function vitest(projects) {
  const code = await node([
    commandOf('vitest'),
    'run',
    ...projects.map((project) => `--project=${project}`),
    '--allowOnly=false',
    ...(filtered ? ['--passWithNoTests'] : []),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${join(results, 'vitest.json')}`,
    ...fileFilters,
  ])
  const report = readReport('vitest.json')
  if (!report) return counted(code, 0, 0)
  const unloadable = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  )
  return counted(
    code,
    report.numPassedTests,
    report.numFailedTests + unloadable.length,
    report.numPendingTests + report.numTodoTests,
  )
}

async function endToEnd() {
  let browser
  try {
    browser = await findBrowser()
  } catch (error) {
    console.error(error.message)
    return counted(1, 0, 1)
  }
  const code = await node(
    [
      commandOf('@playwright/test', 'playwright'),
      'test',
      '--reporter=list,json',
      ...(filtered ? ['--pass-with-no-tests'] : []),
      ...fileFilters,
    ],
    { CHROME_PATH: browser, PLAYWRIGHT_JSON_OUTPUT_NAME: join(results, 'playwright.json') },
  )
  const report = readReport('playwright.json')
  if (!report) return counted(code, 0, 0)
  const { expected, unexpected, flaky, skipped } = report.stats
  return counted(code, expected, unexpected + flaky, skipped)
}

const projects = PROJECTS.filter((project) => wanted.has(project))
const steps = [
  ['check', 'formatting and lint', () => oneCheck([commandOf('@biomejs/biome', 'biome'), 'check', '.'])],
  ['types', 'types', () => oneCheck([commandOf('typescript', 'tsc'), '-b'])],
  ['build', 'build', () => oneCheck(['scripts/build.mjs'])],
  [projects[0], `${projects.join(', ')} tests`, () => vitest(projects)],
  ['e2e', 'end-to-end tests', endToEnd],
].filter(([name]) => wanted.has(name))

rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })
const total = { passed: 0, failed: 0, skipped: 0 }
const lines = []
for (const [, title, work] of steps) {
  console.error(`\n━━ ${title}`)
  const began = performance.now()
  const result = await work()
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  for (const key of Object.keys(total)) total[key] += result[key]
  lines.push(
    `${result.failed === 0 ? '✓' : '✗'} ${title}: ${result.passed} passed, ${result.failed} failed (${seconds} s)`,
  )
  console.error(lines.at(-1))
}
console.error(`\n━━ all\n${lines.join('\n')}`)
process.exitCode = total.failed > 0 ? 1 : 0
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
process.stdout.write(`${total.passed} passed, ${total.failed} failed${skipped}\n`)
