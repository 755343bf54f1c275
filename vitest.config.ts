// How vitest runs everything but the browser tests: the marketplace's three projects and one for each package.
// The projects that need databases share one embedded PostgreSQL (tests/support/global-setup.ts); unit tests start none.
import { defineConfig } from 'vitest/config'
import { project } from './vitest.project.ts'

const POSTGRES = ['tests/support/global-setup.ts']

export default defineConfig({
  test: {
    // Twice as many as the machine of the gate has cores: many tests wait for a timer or for another process.
    maxWorkers: 4,
    teardownTimeout: 20_000,
    projects: [
      project('unit', [
        'tests/*.test.ts',
        'tests/unit/**/*.test.{ts,tsx}',
        '{shared,web,bench}/**/*.test.{ts,tsx}',
      ]),
      project('database', ['tests/database/**/*.test.ts'], POSTGRES),
      project('protocol', ['tests/protocol/**/*.test.ts'], POSTGRES),
      'packages/*',
    ],
  },
})
