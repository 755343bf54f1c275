// Learning how long statements take, on a machine that is sometimes busy.
import { beforeEach, expect, test } from 'vitest'
import { isQuick, type LatencyEstimate, learn, newLatency } from './latency.ts'

function learnt(...samples: number[]): LatencyEstimate {
  const latency = newLatency()
  for (const ms of samples) learn(latency, ms)
  return latency
}
const times = (count: number, ms: number) => Array<number>(count).fill(ms)

// Other files of this worker may have held up the event loop a moment ago.
beforeEach(() => expect.poll(() => learnt(1).samples).toBe(1))

test('one answer that came seconds late makes no quick kind slow', () => {
  expect(learnt(...times(5, 1), 4000).ms).toBeLessThan(2)
})

test('many answers mark a kind as slow, and a few as quick again', () => {
  const latency = learnt(...times(10, 1), ...times(150, 400))
  expect(latency.ms).toBeGreaterThan(350)
  for (const ms of times(8, 1)) learn(latency, ms)
  expect(isQuick(latency)).toBe(true)
})

test('while the event loop stands still, answers tell only that they took no longer', async () => {
  const latency = learnt(...times(5, 4))
  const fresh = newLatency()
  const until = performance.now() + 100
  while (performance.now() < until);
  for (const ms of times(200, 300)) learn(latency, ms)
  learn(fresh, 300)
  expect(latency.ms).toBe(4)
  expect(fresh.samples).toBe(0)
  learn(latency, 2)
  expect(latency.ms).toBe(3)
  await expect
    .poll(() => {
      learn(fresh, 300)
      return fresh.ms
    })
    .toBe(300)
})
