// The form of the working hours: which rows are wrong, copied days, and the next holiday.
import { expect, test } from 'vitest'
import { copiedTo, endOf, hoursSchema, nextHoliday, nextSpan, problemOf, usualWeek } from './hours.ts'

const span = (weekday: number, starts: string, ends: string) => ({ weekday, starts, ends })
const settings = {
  time_zone: 'America/Regina',
  buffer_minutes: '30',
  closed_on_holidays: true,
  shows_slots: false,
}

test('hours that touch are right, hours that overlap are wrong on both rows', () => {
  const touching = [span(1, '09:00', '12:00'), span(1, '12:00', '17:00'), span(2, '11:00', '13:00')]
  expect(touching.map((_row, at) => problemOf(touching, at))).toEqual([null, null, null])
  const overlapping = [span(1, '09:00', '12:01'), span(1, '12:00', '17:00'), span(2, '11:00', '13:00')]
  expect(overlapping.map((_row, at) => problemOf(overlapping, at))).toEqual([
    'hours.overlap',
    'hours.overlap',
    null,
  ])
})

test('an end at midnight is the end of the day, any other end is after the start', () => {
  const night = [span(5, '20:00', '00:00'), span(5, '23:00', '23:30')]
  expect(problemOf(night, 0)).toBe('hours.overlap')
  expect(problemOf([span(5, '20:00', '00:00')], 0)).toBeNull()
  expect(problemOf([span(5, '20:00', '20:00')], 0)).toBe('hours.endBeforeStart')
  expect(problemOf([span(5, '20:00', '02:00')], 0)).toBe('hours.endBeforeStart')
  expect(problemOf([span(5, '', '02:00')], 0)).toBe('hours.missing')
  expect(endOf('00:00')).toBe('24:00')
})

test('the form is refused with its first problem, and sends midnight as 24:00', () => {
  const read = (hours: ReturnType<typeof usualWeek>) => hoursSchema.safeParse({ ...settings, hours })
  expect(read([span(1, '', '')]).error?.issues[0]?.message).toBe('hours.missing')
  expect(read([span(5, '20:00', '00:00')]).data).toEqual({
    ...settings,
    buffer_minutes: 30,
    hours: [span(5, '20:00', '24:00')],
  })
})

test('a day is copied over the others and stays itself', () => {
  const hours = [span(1, '09:00', '12:00'), span(3, '10:00', '11:00'), span(6, '08:00', '09:00')]
  expect(copiedTo(hours, 3, [1, 2, 3])).toEqual([
    span(3, '10:00', '11:00'),
    span(6, '08:00', '09:00'),
    span(1, '10:00', '11:00'),
    span(2, '10:00', '11:00'),
  ])
})

test('added hours are nine to five, or after the last ones until midnight', () => {
  expect(nextSpan([], 1)).toEqual(span(1, '09:00', '17:00'))
  expect(nextSpan(usualWeek(), 1)).toEqual(span(1, '18:00', '20:00'))
  expect(nextSpan([span(1, '09:00', '21:30')], 1)).toEqual(span(1, '22:00', '00:00'))
  expect(nextSpan([span(1, '09:00', '23:00')], 1)).toEqual(span(1, '', ''))
})

test('the next holiday includes today; on a Sunday it is followed by its Monday', () => {
  expect(nextHoliday(new Date('2026-12-25T18:00Z'))).toMatchObject({
    day: '2026-12-25',
    names: { en: 'Christmas Day' },
  })
  expect(nextHoliday(new Date('2029-11-12T05:59Z'))?.day).toBe('2029-11-11')
  expect(nextHoliday(new Date('2029-11-12T06:00Z'))?.day).toBe('2029-11-12')
  expect(nextHoliday(new Date('2036-01-01T18:00Z'))).toBeUndefined()
})
