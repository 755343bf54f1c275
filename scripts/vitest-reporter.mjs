// Writes what `npm test` counts of a vitest run to test-results/vitest.json. It has the number of passed tests, the
// name and file of everything that failed (errors outside of tests too), and the duration of each file, slowest
// first.
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

export default class GateReporter {
  #root = process.cwd()

  onInit(vitest) {
    this.#root = vitest.config.root
  }

  /** @type {import('vitest/node').Reporter['onTestRunEnd']} */
  onTestRunEnd(modules, unhandledErrors) {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    const failures = []
    for (const module of modules) {
      const file = relative(this.#root, module.moduleId)
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result()
        count[state] += 1
        if (state === 'failed') failures.push({ file, name: `${file} > ${test.fullName}${reason(errors)}` })
      }
      // A file that cannot be loaded, or a hook that fails.
      for (const owner of [module, ...module.children.allSuites()]) {
        const errors = owner.errors()
        if (errors.length > 0)
          failures.push({
            file,
            name: `${file}${owner === module ? '' : ` > ${owner.fullName}`}${reason(errors)}`,
          })
      }
    }
    for (const error of unhandledErrors) {
      const where = error.VITEST_TEST_NAME ?? error.VITEST_TEST_PATH
      const path = error.VITEST_TEST_PATH
      const file = path && relative(this.#root, path)
      failures.push({ file, name: `outside of tests${where ? `, during ${where}` : ''}${reason([error])}` })
    }
    const files = modules
      .map((module) => {
        const { collectDuration, duration } = module.diagnostic()
        const file = relative(this.#root, module.moduleId)
        return { file, importMs: Math.round(collectDuration), testsMs: Math.round(duration) }
      })
      .sort((a, b) => b.importMs + b.testsMs - a.importMs - a.testsMs)
    const report = { passed: count.passed, skipped: count.skipped + count.pending, failures, files }
    writeFileSync(process.env.GATE_REPORT, JSON.stringify(report, null, 1))
  }
}

/** The first line of what went wrong. */
function reason(errors = []) {
  const [first] = errors
  if (!first) return ''
  return `: ${(first.message ?? String(first)).split('\n')[0]}`
}
