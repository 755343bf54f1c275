// The order in which a tasker sees open tasks (specification 001 §6).
import { expect, test } from 'vitest'
import { recommended, score } from './recommend.ts'

const theo = { preferred_categories: ['Handyman'], skills: ['Drywall', ' tiling ', ''] }
const task = (title: string, category = 'Other', description = '') => ({ title, category, description })

test('a preferred category counts 10, each skill in the title or the description 5', () => {
  expect(score(task('Walk a dog'), theo)).toBe(0)
  expect(score(task('Hang a shelf', 'Handyman'), theo)).toBe(10)
  expect(score(task('DRYWALL in the basement'), theo)).toBe(5)
  expect(score(task('A bathroom', 'Other', 'some tiling, then drywall'), theo)).toBe(10)
  expect(score(task('drywall, and drywall again', 'Handyman', 'tiling'), theo)).toBe(20)
})

test('who has named nothing gets no score, not a match with everything', () => {
  expect(score(task('Anything'), { preferred_categories: [], skills: ['', '  '] })).toBe(0)
})

test('higher scores come first, equal ones keep their order', () => {
  const tasks = [task('one'), task('tiling'), task('two'), task('Fix it', 'Handyman'), task('more drywall')]
  expect(recommended(tasks, theo).map((entry) => entry.task.title)).toEqual([
    'Fix it',
    'tiling',
    'more drywall',
    'one',
    'two',
  ])
})
