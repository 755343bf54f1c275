// How vitest runs everything but the browser tests: three projects, four workers, no retries.
// The projects that need databases share one embedded PostgreSQL (tests/support/global-setup.ts); unit tests start none.
import { defineConfig } from 'vitest/config'
import { isSoak } from './tests/support/soak.ts'
import { keepTestsInMemory } from './tests/support/temporary-folder.ts'

keepTestsInMemory()

const POSTGRES = ['tests/support/global-setup.ts']

const project = (name: string, include: string[], globalSetup: string[] = []) => ({
  test: {
    name,
    include,
    globalSetup,
    setupFiles: ['tests/support/setup.ts'],
    environment: 'node',
    pool: 'forks' as const,
    // One import of the server's sources a worker, not one a file; each file has servers and databases of its own.
    isolate: false,
    retry: 0,
    // A test that hangs is a failure with a name, never a gate that stands still. Nothing depends on speed: a loaded
    // machine takes as long as it takes.
    testTimeout: isSoak ? 3_600_000 : 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    // One time zone and one language everywhere, so that a date means the same on every machine.
    env: { TZ: 'America/Regina', LANG: 'C.UTF-8' },
  },
})

export default defineConfig({
  test: {
    // Twice as many as the machine of the gate has cores: many tests wait for a timer or for another process.
    maxWorkers: 4,
    teardownTimeout: 20_000,
    projects: [
      project('unit', [
        'tests/*.test.ts',
        'tests/unit/**/*.test.{ts,tsx}',
        '{shared,server,sandbox,web,bench}/**/*.test.{ts,tsx}',
      ]),
      project('database', ['tests/database/**/*.test.ts'], POSTGRES),
      project('protocol', ['tests/protocol/**/*.test.ts'], POSTGRES),
    ],
  },
})
