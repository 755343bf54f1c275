// How vitest runs everything but the browser tests: three projects, two workers, no retries.
// The projects that need databases share one embedded PostgreSQL (tests/support/global-setup.ts); unit tests start none.
import { defineConfig } from 'vitest/config'

const POSTGRES = ['tests/support/global-setup.ts']

const project = (name: string, include: string[], testTimeout: number, globalSetup: string[] = []) => ({
  test: {
    name,
    include,
    globalSetup,
    environment: 'node',
    pool: 'forks' as const,
    isolate: false,
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
      project('database', ['tests/database/**/*.test.ts'], 30_000, POSTGRES),
      project('protocol', ['tests/protocol/**/*.test.ts'], 30_000, POSTGRES),
    ],
  },
})
