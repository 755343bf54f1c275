// PostgreSQL's log stays small while PostgreSQL has it open.
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepLogSmall, rotateLog } from './log-file.ts'

let file: string
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-log-'))
  file = join(folder, 'postgres.log')
  return () => rmSync(folder, { recursive: true })
})
afterEach(() => void vi.useRealTimers())

test('a log that has grown is kept once, and what is written next begins the file anew', () => {
  rotateLog(file, 10)
  const open = openSync(file, 'a', 0o600)
  writeSync(open, 'short')
  rotateLog(file, 10)
  expect(readFileSync(file, 'utf8')).toBe('short')
  for (const text of ['first message\n', 'second message\n']) {
    writeSync(open, text)
    rotateLog(file, 10)
    expect(readFileSync(file, 'utf8')).toBe('')
    expect(readFileSync(`${file}.1`, 'utf8')).toMatch(new RegExp(`${text}$`))
    expect(statSync(`${file}.1`).mode & 0o777).toBe(0o600)
  }
  writeSync(open, 'third')
  expect(readFileSync(file, 'utf8')).toBe('third')
  closeSync(open)
})

test('it is looked at while the server runs, and a failure is reported', () => {
  vi.useFakeTimers()
  const open = openSync(file, 'a')
  const problems: string[] = []
  const stop = keepLogSmall(file, (message) => problems.push(message))
  writeSync(open, Buffer.alloc(10_000_001, 'x'))
  vi.advanceTimersByTime(60_000)
  expect(statSync(file).size).toBe(0)
  expect(statSync(`${file}.1`).size).toBe(10_000_001)
  rmSync(`${file}.1`)
  mkdirSync(`${file}.1`)
  writeSync(open, Buffer.alloc(10_000_001, 'x'))
  vi.advanceTimersByTime(60_000)
  expect(problems).toEqual([expect.stringMatching(/^PostgreSQL's log .*postgres\.log cannot be shortened: /)])
  stop()
  vi.advanceTimersByTime(600_000)
  expect(problems).toHaveLength(1)
  closeSync(open)
})
