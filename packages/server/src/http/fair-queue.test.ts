// Which work runs, waits or is refused, depending on each caller's running work.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Busy, FairQueue, type Work } from './fair-queue.ts'

let queue: FairQueue
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
  queue = new FairQueue({ atOnce: 16, timeoutMs: 10_000, processors: 4 })
})
afterEach(() => {
  vi.useRealTimers()
})

type Asked = { work: Work; state: 'runs' | 'waits' | 'refused'; own?: boolean; gone: boolean }

function ask(caller: string, { costMs = 2, quick = false } = {}): Asked {
  const work: Work = { caller, costMs, quick, isGone: () => asked.gone, began: null }
  const asked: Asked = { work, state: 'runs', gone: false }
  const turn = queue.begin(work)
  if (turn) {
    asked.state = 'waits'
    turn.then(
      () => {
        asked.state = 'runs'
      },
      (error: Busy) => {
        asked.state = 'refused'
        asked.own = error.own
      },
    )
  }
  return asked
}
const many = (count: number, caller: string, kind = {}) =>
  Array.from({ length: count }, () => ask(caller, kind))
const ended = new Set<Work>()
const promisesRun = () => vi.advanceTimersByTimeAsync(0)
const count = (all: Asked[], state: Asked['state']) => all.filter((one) => one.state === state).length
const SLOW = { costMs: 2000 }

test('a database that says nothing ends the wait of all', async () => {
  const asked = many(6, 'sam', SLOW)
  expect(count(asked, 'waits')).toBe(4)
  queue.refuseWaiting(new Error('no answer'))
  await promisesRun()
  expect(count(asked, 'refused')).toBe(4)
  expect(queue.counts()).toEqual({ running: 2, waiting: 0 })
})

describe('slow work', () => {
  test('one caller runs two at a time, and its other work meanwhile', async () => {
    const slow = many(20, 'sam', SLOW)
    expect(count(slow, 'runs')).toBe(2)
    expect(ask('sam').state).toBe('runs')
    expect(ask('sam', { costMs: 1, quick: true }).state).toBe('runs')
    queue.end((slow[0] as Asked).work)
    await promisesRun()
    expect(count(slow, 'runs')).toBe(3)
  })

  test('of all callers runs as much as there are processors, and leaves one of two to others', () => {
    const slow = Array.from({ length: 40 }, (_, n) => ask(`sam ${n}`, SLOW))
    expect(count(slow, 'runs')).toBe(4)
    expect(ask('grace').state).toBe('runs')
    queue = new FairQueue({ atOnce: 16, processors: 1 })
    expect(count(many(3, 'sam', SLOW), 'runs')).toBe(1)
    expect(count(many(3, 'theo', SLOW), 'runs')).toBe(1)
    expect(ask('grace', SLOW).state).toBe('waits')
    expect(ask('grace').state).toBe('runs')
  })

  test('that was not expected to be slow stops more that might be', async () => {
    const late = many(4, 'sam')
    await vi.advanceTimersByTimeAsync(150)
    const held = ask('sam')
    expect(held.state).toBe('waits')
    expect(ask('sam', { costMs: 1, quick: true }).state).toBe('runs')
    expect(ask('grace').state).toBe('runs')
    queue.end((late[0] as Asked).work)
    await promisesRun()
    expect(held.state).toBe('runs')
  })
})

describe('a share', () => {
  test('of quick work is as much as takes half a second', () => {
    expect(count(many(60, 'theo', { costMs: 10, quick: true }), 'runs')).toBe(50)
    expect(count(many(60, 'grace', { costMs: 1, quick: true }), 'runs')).toBe(60)
  })

  test('is ten connections of sixteen', () => {
    expect(count(many(20, 'theo'), 'runs')).toBe(10)
    expect(count(many(20, 'grace'), 'runs')).toBe(6)
    // Quick work shares connections that are not among these.
    expect(ask('ada', { costMs: 1, quick: true }).state).toBe('runs')
    expect(ask('ada').state).toBe('waits')
  })
})

describe('those who wait', () => {
  test('go by what their caller has under way, least first', async () => {
    const theo = many(20, 'theo')
    const grace = many(20, 'grace')
    const ada = ask('ada')
    queue.end((theo[0] as Asked).work)
    await promisesRun()
    expect([ada.state, count(theo, 'runs'), count(grace, 'runs')]).toEqual(['runs', 10, 6])
  })

  test('take turns where only one thing runs at a time, newcomers before a caller who was just served', async () => {
    queue = new FairQueue({ atOnce: 1, processors: 4 })
    const order: string[] = []
    const sam = many(4, 'sam', { costMs: 0 })
    const grace = many(2, 'grace', { costMs: 0 })
    const theo = many(1, 'theo', { costMs: 0 })
    const all = { sam, grace, theo }
    for (let n = 0; n < 7; n++) {
      const running = Object.entries(all).flatMap(([name, asked]) =>
        asked
          .filter(({ work }) => work.began !== null && !ended.has(work))
          .map(({ work }) => ({ name, work })),
      )
      expect(running).toHaveLength(1)
      const [{ name, work }] = running as [{ name: string; work: Work }]
      order.push(name)
      ended.add(work)
      queue.end(work)
    }
    expect(order).toEqual(['sam', 'grace', 'theo', 'sam', 'grace', 'sam', 'sam'])
  })

  test('are refused after their time: for what they have themselves under way, or for others', async () => {
    const theo = many(20, 'theo')
    const grace = many(6, 'grace')
    const ada = ask('ada')
    await vi.advanceTimersByTimeAsync(11_000)
    expect([theo.at(-1), ada].map((one) => [one?.state, one?.own])).toEqual([
      ['refused', true],
      ['refused', false],
    ])
    for (const { work, state } of [...theo, ...grace]) if (state === 'runs') queue.end(work)
    expect(queue.counts()).toEqual({ running: 0, waiting: 0 })
  })

  test('are forgotten when they have gone, and no more than two hundred wait', async () => {
    const slow = many(203, 'sam', SLOW)
    await promisesRun()
    expect([count(slow, 'runs'), count(slow, 'waits'), count(slow, 'refused')]).toEqual([2, 200, 1])
    for (const one of slow) one.gone = true
    await vi.advanceTimersByTimeAsync(1000)
    expect(queue.counts()).toEqual({ running: 2, waiting: 0 })
    expect(slow.at(-1)?.own).toBe(true)
  })

  test('reject with Busy', async () => {
    many(202, 'sam', SLOW)
    await expect(
      queue.begin({ caller: 'sam', costMs: 1000, quick: false, isGone: () => false, began: null }),
    ).rejects.toThrow(Busy)
  })
})

test('thousands that wait cost little whenever work ends', () => {
  const running = Array.from({ length: 16 }, (_, nth) => ask(`caller ${nth}`))
  expect(count(running, 'runs')).toBe(16)
  let looks = 0
  for (let nth = 0; nth < 5000; nth++) {
    const work: Work = {
      caller: `waiting ${nth}`,
      get costMs() {
        looks++
        return 2
      },
      quick: false,
      isGone: () => false,
      began: null,
    }
    void queue.begin(work)
  }
  looks = 0
  queue.end((running[0] as Asked).work)
  expect(queue.counts()).toEqual({ running: 16, waiting: 4999 })
  // One look finds the next. Comparing each of them with the running work made the server hang under load.
  expect(looks).toBeLessThan(10)
})
