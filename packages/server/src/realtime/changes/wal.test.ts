// Positions in PostgreSQL's log are two hexadecimal halves of one number.
import { expect, test } from 'vitest'
import { precedingLsn } from './wal.ts'

test.each([
  ['16/B374D848', '16/B374D847'],
  ['1/0', '0/FFFFFFFF'],
  ['0/1', '0/0'],
  ['0/0', null],
])('before %s stands %s', (lsn, expected) => expect(precedingLsn(lsn)).toBe(expected))
