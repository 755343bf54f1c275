// Which figures the marketing pages show: claims as the specification has them, counted ones as they are, none where there is none.
import { expect, test } from 'vitest'
import { figures } from '../../../marketplace.config.ts'
import { claimedFigures, countedFigures } from './marketingFigures.ts'

test('claims are those of the specification, and are shown unless the operator says otherwise', () => {
  expect(figures).toBe('claimed')
  expect(claimedFigures()).toEqual({
    activeUsers: '1000+',
    tasksCompleted: '500+',
    monthlyEarnings: '$2,500+',
    activeTaskers: '10,000+',
    rating: '4.8/5',
  })
})

test('counted figures are those of the database, and what it does not give is not shown', () => {
  const nothing = {
    activeUsers: null,
    tasksCompleted: null,
    monthlyEarnings: null,
    activeTaskers: null,
    rating: null,
  }
  expect(countedFigures(null)).toEqual(nothing)
  expect(
    countedFigures({
      active_users: 1200,
      tasks_completed: null,
      active_taskers: 84,
      monthly_earnings: 310,
      rating: 4.7,
    }),
  ).toEqual({
    ...nothing,
    activeUsers: '1,200+',
    activeTaskers: '84+',
    monthlyEarnings: '$310+',
    rating: '4.7/5',
  })
})
