// Statements are prepared once, and anew after so many uses that the plan may be out of date.
import { expect, test } from 'vitest'
import { Prepared } from './prepared.ts'

test('after a hundred uses, and a thousand, a statement is prepared anew and the old one closed', () => {
  const prepared = new Prepared()
  const parsedAt: number[] = []
  const names = new Set<string>()
  for (let use = 1; use <= 2000; use++) {
    const { name, parse } = prepared.take('select 1')
    names.add(name)
    if (parse) parsedAt.push(use)
  }
  expect(parsedAt).toEqual([1, 100, 1000])
  expect([...names].slice(0, -1)).toEqual(prepared.takeDiscarded())
})

test('a statement that may have failed to be parsed is closed and parsed again', () => {
  const prepared = new Prepared()
  const { name } = prepared.take('select 1')
  prepared.forget('select 1')
  expect(prepared.takeDiscarded()).toEqual([name])
  expect(prepared.take('select 1').parse).toBe(true)
})
