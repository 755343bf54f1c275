// The list of a task's fields feeds the form, its steps and the queries; a task is the same after a round through the form.
import { expect, test } from 'vitest'
import { cents } from '../../../shared/money.ts'
import { FIELD_COLUMNS, fieldsOf, PARTS, type TextFieldName, taskFields } from './fields.ts'
import {
  cardValuesFrom,
  changedTaskForm,
  fieldsSchema,
  newTaskForm,
  POSTING_STEPS,
  taskFormFrom,
  taskSchema,
} from './schema.ts'

const names = taskFields.map(({ name }) => name)
const texts = Object.fromEntries(
  taskFields.filter(({ text }) => text).map(({ name, label }) => [name, `What a task has under ${label}`]),
) as Record<TextFieldName, string>
const task = {
  ...texts,
  tools_description: null,
  category: 'Snow Removal',
  pay_amount: cents(6050),
  expense_limit: cents(3250),
  offers_allowed: true,
  tools_provided: true,
  scheduled_date: '2099-07-01T15:30:00.000Z',
  duration_minutes: 90,
  photos: ['grace/1.jpg'],
  repeats: { every: 'weekly', count: 17, except: ['2099-07-08'] },
  point: { latitude: 52.1157, longitude: -106.6571 },
}

test('each field is asked for in one step, and has a rule and an empty value', () => {
  expect(POSTING_STEPS.flat().sort()).toEqual([...names].sort())
  expect(fieldsOf(...PARTS)).toHaveLength(names.length)
  expect(Object.keys(fieldsSchema.shape)).toEqual([...names, 'id'])
  expect(Object.keys(newTaskForm()).sort()).toEqual([...names, 'id'].sort())
})

test('queries read every column of them, the address and the point from their own tables', () => {
  expect(`address,point${FIELD_COLUMNS}`.split(',').sort()).toEqual([...names].sort())
})

test('a task is the same after a round through the form', () => {
  const form = changedTaskForm({ ...task, id: 'a' })
  expect(form).toMatchObject({
    tools_provided: 'yes',
    tools_description: '',
    duration_minutes: '90',
    point: '52.11570, -106.65710',
  })
  expect(taskSchema.parse(form)).toEqual({ ...task, id: 'a' })
})

test('a task that is posted again has no time yet', () => {
  expect(taskFormFrom(task)).toMatchObject({
    title: task.title,
    pay_amount: '60.5',
    expense_limit: '32.5',
    scheduled_date: '',
  })
  expect(taskFormFrom({ ...task, expense_limit: null })).toMatchObject({ expense_limit: '' })
})

test('the card shows what is typed', () => {
  const typed = { ...newTaskForm(), location: ' Regina ', scheduled_date: '2099-07-01T09:30' }
  expect(cardValuesFrom(typed)).toMatchObject({
    location: 'Regina',
    scheduled_date: '2099-07-01T15:30:00.000Z',
    duration_minutes: null,
  })
})
