// The rules of a new task, in the order in which they are reported (specification 001 §5).
import { describe, expect, test } from 'vitest'
import { NEW_REPEAT } from '../../lib/repeats.ts'
import { applicationSchema, expensesFrom, inDollars, newTaskForm, taskSchema } from './schema.ts'

const good = {
  ...newTaskForm(),
  title: 'Shovel the walk',
  description: 'Twenty metres of walk and three steps.',
  category: 'Snow Removal',
  location: 'Regina',
  pay_amount: '60',
}
const messages = (change: Partial<typeof good>) =>
  taskSchema.safeParse({ ...good, ...change }).error?.issues.map((issue) => issue.message) ?? []

describe('a task', () => {
  test('is trimmed, and what was left empty is null', () => {
    expect(taskSchema.parse({ ...good, title: '  Shovel the walk ' })).toMatchObject({
      title: 'Shovel the walk',
      pay_amount: 6000,
      scheduled_date: null,
      duration_minutes: null,
      tools_provided: false,
      tools_description: null,
      address: '',
    })
  })

  test('names its failures in the order of the specification', () => {
    expect(
      messages({ title: ' abcd ', description: 'short', category: 'Nothing', location: 'x', pay_amount: '' }),
    ).toEqual([
      'tasks.titleTooShort',
      'tasks.descriptionTooShort',
      'tasks.categoryRequired',
      'tasks.locationTooShort',
      'tasks.payNotPositive',
    ])
  })

  test('counts no characters that show nothing', () => {
    const blank = '\u200b\u2800\u202e'.repeat(10)
    expect(messages({ title: `a${blank}`, description: blank, location: blank })).toEqual([
      'tasks.titleTooShort',
      'tasks.descriptionTooShort',
      'tasks.locationTooShort',
    ])
    expect(taskSchema.parse({ ...good, tools_description: blank }).tools_description).toBe(null)
  })

  test.each([
    ['-5', 'tasks.payNotPositive'],
    ['0', 'tasks.payNotPositive'],
    ['a lot', 'tasks.payNotPositive'],
    ['24.99', 'tasks.payTooLow'],
    ['100000.01', 'tasks.payTooHigh'],
    ['1e9', 'tasks.payNotPositive'],
    ['60.005', 'tasks.payFractions'],
    ['1.250', 'tasks.payFractions'],
    ['25.500', 'tasks.payFractions'],
  ])('that pays %s is refused with %s', (pay_amount, message) => {
    expect(messages({ pay_amount })).toEqual([message])
  })

  test.each(['25', '100000', '60.1', '79.99', '$1,234.50'])('that pays %s is taken', (pay_amount) => {
    expect(messages({ pay_amount })).toEqual([])
  })

  test.each([
    ['0', 'tasks.expensesInvalid'],
    ['-5', 'tasks.expensesInvalid'],
    ['0.99', 'tasks.expensesInvalid'],
    ['receipts', 'tasks.expensesInvalid'],
    ['60.005', 'tasks.expensesInvalid'],
    ['5000.01', 'tasks.expensesTooHigh'],
  ])('with a limit for expenses of %s is refused with %s', (expense_limit, message) => {
    expect(messages({ expense_limit })).toEqual([message])
    expect(expensesFrom(expense_limit)).toBe(null)
  })

  test.each([
    ['', null],
    [' ', null],
    ['1', 100],
    ['32.5', 3250],
    ['$5,000', 500_000],
  ])('with a limit for expenses of "%s" is taken', (expense_limit, limit) => {
    const task = taskSchema.parse({ ...good, expense_limit })
    expect(task.expense_limit).toBe(limit)
    expect(expensesFrom(expense_limit)).toBe(limit)
    expect(inDollars(task)).toMatchObject({ pay_amount: 60, expense_limit: limit && limit / 100 })
  })

  test('counts characters as people do: an emoji is one', () => {
    expect(messages({ title: '🦊🦊🦊🦊' })).toEqual(['tasks.titleTooShort'])
    expect(messages({ title: '🦊'.repeat(200) })).toEqual([])
    expect(messages({ title: '🦊'.repeat(201) })).toEqual(['tasks.titleTooLong'])
  })

  test('takes its time on the clock of Saskatchewan, and not in the past', () => {
    const parsed = taskSchema.parse({ ...good, scheduled_date: '2099-07-01T09:30' })
    expect(parsed.scheduled_date).toBe('2099-07-01T15:30:00.000Z')
    expect(messages({ scheduled_date: '2020-01-01T09:30' })).toEqual(['tasks.datePast'])
  })

  test('that repeats has a first time and a length, and one for snowfall has no time', () => {
    const weekly = JSON.stringify({ ...NEW_REPEAT, count: '5' })
    const snow = JSON.stringify({ ...NEW_REPEAT, every: 'snowfall', count: '5', until: '2099-03-01' })
    const time = { scheduled_date: '2099-07-01T09:30', duration_minutes: '60' }
    expect(messages({ ...time, repeats: JSON.stringify(NEW_REPEAT) })).toEqual(['tasks.repeat.noEnd'])
    expect(messages({ ...time, repeats: weekly })).toEqual([])
    expect(messages({ duration_minutes: '60', repeats: weekly })).toEqual(['tasks.repeat.noDate'])
    expect(messages({ ...time, duration_minutes: '', repeats: weekly })).toEqual(['tasks.repeat.noDuration'])
    expect(messages({ ...time, repeats: snow })).toEqual(['tasks.repeat.snowDate'])
    expect(messages({ duration_minutes: '60', repeats: snow })).toEqual([])
    expect(messages({ repeats: snow })).toEqual(['tasks.repeat.noDuration'])
  })
})

test('an application may say nothing, and at most 1000 characters', () => {
  expect(applicationSchema.parse({ message: '  ' })).toEqual({ message: '' })
  expect(applicationSchema.safeParse({ message: 'm'.repeat(1000) }).success).toBe(true)
  expect(applicationSchema.safeParse({ message: 'm'.repeat(1001) }).error?.issues[0]?.message).toBe(
    'tasks.messageTooLong',
  )
})
