// Settings shared by all vitest projects: the marketplace's (vitest.config.ts) and one for each package.
import { fileURLToPath } from 'node:url'
import { isSoak } from './packages/server/tests/support/soak.ts'
import { keepTestsInMemory } from './tests/support/temporary-folder.ts'

keepTestsInMemory()

/** Settings of a whole run. */
export const RUN = {
  // Twice as many as the machine of the gate has cores: many tests wait for a timer or for another process.
  maxWorkers: 4,
  teardownTimeout: 20_000,
}

/** Test files of packages/server, relative to its folder. */
export const SERVER_TESTS = ['{src,tests}/**/*.test.ts']

export const project = (name: string, include: string[], globalSetup: string[] = []) => ({
  test: {
    name,
    include,
    globalSetup,
    setupFiles: [fileURLToPath(new URL('tests/support/setup.ts', import.meta.url))],
    environment: 'node',
    pool: 'forks' as const,
    // One import of the server's sources a worker, not one a file; each file has its own servers and databases.
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
