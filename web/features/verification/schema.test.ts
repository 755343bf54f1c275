// What is typed into the wizard's lists.
import { expect, test } from 'vitest'
import { listOf } from './schema.ts'

test('a list is taken apart at the commas of every language, as the hints beside it have them', () => {
  expect(listOf('snow, , cats ')).toEqual(['snow', 'cats'])
  expect(listOf('铲雪、石膏板，遛狗')).toEqual(['铲雪', '石膏板', '遛狗'])
  expect(listOf('إزالة الثلج، تمشية الكلاب')).toEqual(['إزالة الثلج', 'تمشية الكلاب'])
})
