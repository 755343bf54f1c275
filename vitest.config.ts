// How vitest runs everything but the browser tests: three projects, two workers, no retries.
// The embedded PostgreSQL that tests clone their databases from is started once for the whole run
// (tests/support/global-setup.ts at the root, not in each project).
import { defineConfig } from 'vitest/config'

const project = (name: string, include: string[], testTimeout: number) => ({
  test: {
    name,
    include,
    environment: 'node',
    pool: 'forks' as const,
    retry: 0,
    // A test that hangs is a failure with a name, never a gate that stands still.
    testTimeout,
    hookTimeout: 60_000,
    // One time zone and one language everywhere, so that a date means the same on every machine.
    env: { TZ: 'America/Regina', LANG: 'C.UTF-8' },
  },
})

export default defineConfig({
  test: {
    globalSetup: ['tests/support/global-setup.ts'],
    maxWorkers: 2,
    teardownTimeout: 20_000,
    projects: [
      project(
        'unit',
        [
          'tests/*.test.ts',
          'tests/unit/**/*.test.{ts,tsx}',
          '{shared,server,sandbox,web}/**/*.test.{ts,tsx}',
        ],
        15_000,
      ),
      project('database', ['tests/database/**/*.test.ts'], 30_000),
      project('protocol', ['tests/protocol/**/*.test.ts'], 30_000),
    ],
  },
})
