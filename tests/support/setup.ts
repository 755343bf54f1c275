// Setup and cleanup of every test file.
import { channel } from 'node:diagnostics_channel'
import fc from 'fast-check'
import { afterAll, vi } from 'vitest'
import { isSoak } from '../../packages/server/tests/support/soak.ts'

// The gate tries the same cases each time: what is green today is green tomorrow. The soak tries others each time, and
// a failure there names its seed.
if (!isSoak) fc.configureGlobal({ seed: 20261121 })

// Files share a process: a clock that a failed test left moved would fail the next file, too.
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Reports each hash that bcrypt makes or compares, and the requested cost. */
const hashing = channel('tests:bcrypt')

// The real library at the lowest cost that bcrypt has: thousands of passwords are set here, and at the service's own
// cost, which existing-database.test.ts sees, they took half of the auth tests' time.
vi.mock('@node-rs/bcrypt', async (original) => {
  const real = await original<typeof import('@node-rs/bcrypt')>()
  return {
    ...real,
    hash: (password: string, cost: number) => {
      hashing.publish(`hash of cost ${cost}`)
      return real.hash(password, 4)
    },
    compare: (password: string, stored: string) => {
      hashing.publish(`compare of cost ${Number(stored.split('$')[2])}`)
      return real.compare(password, stored)
    },
  }
})
