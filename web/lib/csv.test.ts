// Cells that a spreadsheet must neither run nor split.
import { expect, test } from 'vitest'
import { csv } from './csv.ts'

test.each([
  ['=SUM(A1)', "'=SUM(A1)"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@cmd', "'@cmd"],
  ['＝1+1', "'＝1+1"],
  ['\tx', '"\'\tx"'],
  ['\n=1', '"\'\n=1"'],
  ['=1,"2"', `"'=1,""2"""`],
  ['a,b', '"a,b"'],
  ['a;b', '"a;b"'],
  ['a"b', '"a""b"'],
  ['a\nb', '"a\nb"'],
  ['Clear the driveway', 'Clear the driveway'],
])('%j', (given, written) => {
  expect(csv([[given]])).toBe(`\ufeff${written}\r\n`)
})

test('numbers stay numbers, below zero too', () => {
  expect(csv([[-12.5, 3]])).toBe('\ufeff-12.5,3\r\n')
})
