// How far behind somebody is, in seconds, from positions of the log alone.
import { expect, test } from 'vitest'
import { LogEnds } from './followers.ts'

test('behind is who lacks what was there at an earlier look, for as long as that is ago', () => {
  const log = new LogEnds()
  expect(log.behind(0, 0)).toBe(0)
  log.see(100, 0)
  log.see(100, 5000)
  expect(log.behind(100, 5000)).toBe(0)
  log.see(140, 10_000)
  expect(log.behind(120, 10_000)).toBe(0)
  log.see(180, 15_000)
  expect(log.behind(120, 15_000)).toBe(5)
  expect(log.behind(140, 15_000)).toBe(0)
  expect(log.behind(99, 15_000)).toBe(15)
})

test('a new primary whose log is shorter begins anew, and an hour is remembered', () => {
  const log = new LogEnds()
  log.see(200, 0)
  log.see(150, 5000)
  expect(log.behind(100, 10_000)).toBe(5)
  log.see(300, 4_000_000)
  expect(log.behind(100, 4_000_000)).toBe(0)
})
