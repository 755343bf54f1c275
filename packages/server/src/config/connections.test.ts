// However many connections there may be, they are shared out whole and every part has some.
import { expect, test } from 'vitest'
import { MIN_CONNECTIONS, shareConnections } from './connections.ts'

test('every number of connections is shared out whole', () => {
  for (let max = MIN_CONNECTIONS; max <= 1000; max++) {
    const shares = Object.values(shareConnections(max))
    expect(shares.reduce((sum, share) => sum + share, 4)).toBe(max)
    expect(Math.min(...shares)).toBeGreaterThan(0)
  }
})

test('of twenty, six answer requests of the Data API', () => {
  expect(shareConnections(20)).toEqual({ owner: 4, requests: 2, rest: 6, storage: 2, cron: 2 })
})
