// The words with which PostgreSQL ends a recovery, and what the restore makes of them.
import { expect, test } from 'vitest'
import { ConfigError } from '../config/config.ts'
import { DamagedError } from './damage.ts'
import { failureIn } from './recover.ts'

const ENDED = 'FATAL:  recovery ended before configured recovery target was reached\n'
const failure = (words: string, to?: Date) =>
  failureIn(words, { to, dataDir: '/srv/data', message: 'no start' })

test('a moment beyond the log is left out in the next attempt, and only once', () => {
  expect(failure(ENDED, new Date())).toBe(null)
  expect(failure(ENDED)).toBeInstanceOf(ConfigError)
})

test('a full disk, a damaged log and what else PostgreSQL said are told apart', () => {
  expect(failure('could not write: No space left on device')?.message).toContain(
    'the disk of /srv/data is full',
  )
  expect(failure('FATAL:  WAL ends before consistent recovery point')).toBeInstanceOf(DamagedError)
  expect(failure('FATAL:  out of memory')?.message).toBe('no start\nFATAL:  out of memory')
})
