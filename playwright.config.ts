// End-to-end tests: journeys in a real Chromium against the real server (tests/e2e/fixtures.ts starts one for
// each worker, over its own seeded database). `npm test -- e2e` builds first and finds the browser.
import { defineConfig } from '@playwright/test'
import { browserOnThisMachine, CHROMIUM_FLAGS } from './scripts/find-browser.mjs'
import { keepTestsInMemory } from './tests/support/temporary-folder.ts'

keepTestsInMemory()

export default defineConfig({
  testDir: 'tests/e2e',
  outputDir: 'test-results/e2e',
  // One file is one journey, its tests in order on one server; files are spread over the workers.
  fullyParallel: false,
  // Twice as many as the machine of the gate has cores: journeys wait for mail, timers and the network half of their time.
  workers: 4,
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  // A test that hangs is a failure with a name; nothing depends on speed.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: 'list',
  use: {
    browserName: 'chromium',
    launchOptions: {
      executablePath: await browserOnThisMachine(),
      // Pages of one browser share a process, and what it has compiled. None lives long enough to win back what the
      // optimizing compilers cost. Playwright has each error note its place, and React makes some as it loads: without places
      // from the first parsing on, all of React is parsed a second time.
      args: [
        ...CHROMIUM_FLAGS,
        '--process-per-site',
        '--js-flags=--no-maglev --no-turbofan --no-enable-lazy-source-positions',
      ],
    },
    locale: 'en-CA',
    timezoneId: 'America/Regina',
    // Motion is checked by eye; without it nothing moves away under a click.
    contextOptions: { reducedMotion: 'reduce' },
    // A test's browser is empty, and filling the worker's cache for somebody who has just signed in costs as much as the
    // page itself. The files about the installed app, and one whole job, allow it: `test.use({ serviceWorkers: 'allow' })`.
    serviceWorkers: 'block',
    viewport: { width: 1280, height: 800 },
    actionTimeout: 30_000,
    navigationTimeout: 60_000,
    // Recording everything takes a fifth of the time: `npx playwright test --trace on` does where it is needed.
    trace: 'off',
    screenshot: 'only-on-failure',
  },
})
