// How vitest runs everything but the browser tests: the marketplace's three projects and one for each package.
// The projects that need databases share one embedded PostgreSQL (tests/support/global-setup.ts); unit tests start none.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { project, RUN, SERVER_TESTS } from './vitest.project.ts'

const POSTGRES = [fileURLToPath(new URL('tests/support/global-setup.ts', import.meta.url))]

export default defineConfig({
  test: {
    ...RUN,
    projects: [
      project('unit', [
        'tests/*.test.ts',
        'tests/unit/**/*.test.{ts,tsx}',
        '{shared,web,bench}/**/*.test.{ts,tsx}',
      ]),
      project('database', ['tests/database/**/*.test.ts'], POSTGRES),
      project('protocol', ['tests/protocol/**/*.test.ts'], POSTGRES),
      // As packages/server/vitest.config.ts, but on the PostgreSQL of the projects above.
      { root: 'packages/server', ...project('server', SERVER_TESTS, POSTGRES) },
      'packages/stripe-sandbox',
    ],
  },
})
