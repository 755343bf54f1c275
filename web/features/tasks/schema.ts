// The rules of posting a task (fields.ts) and applying to one (specification 001 §5), in the order in which they are reported;
// messages are text keys. The form holds text; the output is what the tasks table takes.

import { categories } from '../../../shared/categories.ts'
import { limits } from '../../../shared/limits.ts'
import { type Cents, cents, fromDollars, toDollars } from '../../../shared/money.ts'
import { clockOfLocation } from '../../../shared/placeClocks.ts'
import { plainName, trimmed, visibleLength } from '../../../shared/text.ts'
import type { TextKey } from '../../i18n/index.ts'
import { centsFrom, dollarsFrom, hasTooManyDecimals } from '../../lib/amounts.ts'
import { instantFromLocal, localFromInstant } from '../../lib/format.ts'
import { pointFrom, pointText } from '../../lib/points.ts'
import { repeatsFrom, repeatsFromTyped, typedFrom } from '../../lib/repeats.ts'
import { byClock, coming } from '../../lib/typedTimes.ts'
import { z } from '../../lib/zod.ts'
import { photoNames } from '../../ui/photos/photoNames.ts'
import {
  type CardFieldName,
  type FieldEntry,
  fieldNamed,
  fieldsOf,
  PARTS_OF_STEPS,
  type TaskField,
  type TaskFieldName,
  type TaskValues,
  type TextFieldName,
  taskFields,
} from './fields.ts'

const key = (text: TextKey) => text

/** Characters as people and the database count them: an emoji is one, whatever JavaScript makes of it. */
export const characters = (text: string) => [...text].length

const text = ({ text: rule, optional }: TaskField, tidy = trimmed) => {
  const { min = 0, max = 0, tooShort, tooLong } = rule ?? {}
  return z
    .string()
    .overwrite(tidy)
    .refine((value) => (optional && value === '') || visibleLength(value) >= min, {
      error: tooShort ?? '',
      abort: true,
    })
    .refine((value) => characters(value) <= max, tooLong)
}
const textOrNull = (field: TaskField) => text(field).transform((value) => value || null)

const LOWEST_PAY = fromDollars(limits.payAmount.min)
const HIGHEST_PAY = fromDollars(limits.payAmount.max)

/** A typed price in dollars; cents within the limits. */
export const payAmount = z
  .string()
  .refine((typed) => dollarsFrom(typed) > 0, { error: key('tasks.payNotPositive'), abort: true })
  // An amount that may be thousands is not read as a small one.
  .refine((typed) => !hasTooManyDecimals(typed), { error: key('tasks.payFractions'), abort: true })
  .transform((typed) => centsFrom(typed) ?? cents(0))
  .refine((amount) => amount >= LOWEST_PAY, { error: key('tasks.payTooLow'), abort: true })
  .refine((amount) => amount <= HIGHEST_PAY, key('tasks.payTooHigh'))

const LOWEST_EXPENSES = fromDollars(limits.change.min)
const HIGHEST_EXPENSES = fromDollars(limits.expenses.max)

/** A typed limit for expenses in dollars; cents within the limits, null if left empty. */
const expenseLimit = z
  .string()
  .refine((typed) => typed.trim() === '' || (centsFrom(typed) ?? 0) >= LOWEST_EXPENSES, {
    error: key('tasks.expensesInvalid'),
    abort: true,
  })
  .transform((typed) => (typed.trim() === '' ? null : centsFrom(typed)))
  .refine((limit) => limit === null || limit <= HIGHEST_EXPENSES, key('tasks.expensesTooHigh'))

/** The typed limit in cents; null for none, or for one that is refused. */
export const expensesFrom = (typed: string): Cents | null => expenseLimit.safeParse(typed).data ?? null

/** Minutes that are offered; a task may have none. */
export const DURATIONS = [30, 60, 90, 120, 180, 240, 360, 480]

/** The typed pay in cents when it is within the limits, else null. */
export function payFrom(typed: string): Cents | null {
  const amount = centsFrom(typed)
  return amount !== null && amount >= LOWEST_PAY && amount <= HIGHEST_PAY ? amount : null
}

/** The rules of fields that are not text, and of texts with more than a length. */
const OWN_RULES = {
  // Invisible characters come along when a title is pasted, and the database refuses them.
  title: text(fieldNamed('title'), plainName),
  category: z
    .string()
    .refine((chosen) => categories.some((known) => known === chosen), key('tasks.categoryRequired')),
  pay_amount: payAmount,
  expense_limit: expenseLimit,
  tools_provided: z.enum(['yes', 'no']).transform((answer) => answer === 'yes'),
  offers_allowed: z.enum(['yes', 'no']).transform((answer) => answer === 'yes'),
  // It has no column that could be null.
  address: text(fieldNamed('address')),
  /** Null for none. */
  point: z
    .string()
    .refine((typed) => typed.trim() === '' || pointFrom(typed) !== null, key('tasks.point.invalid'))
    .transform(pointFrom),
  scheduled_date: coming(),
  duration_minutes: z.string().transform((minutes) => (minutes === '' ? null : Number(minutes))),
  /** The chosen repeat as JSON; '' for a task that is done once. */
  repeats: z
    .string()
    .refine((typed) => typed === '' || repeatsFromTyped(typed) !== null, key('tasks.repeat.noEnd'))
    .transform((typed) => repeatsFromTyped(typed)),
  /** Names in the bucket task-photos. */
  photos: photoNames,
} satisfies Record<Exclude<TaskFieldName, TextFieldName>, z.ZodType> & { [Name in TextFieldName]?: z.ZodType }

type Rules = {
  [Field in FieldEntry as Field['name']]: Field['name'] extends keyof typeof OWN_RULES
    ? (typeof OWN_RULES)[Field['name']]
    : ReturnType<Field extends { optional: true } ? typeof textOrNull : typeof text>
}
const ownRules: Partial<Record<TaskFieldName, z.ZodType>> = OWN_RULES
const rules = Object.fromEntries(
  taskFields.map((field) => [
    field.name,
    ownRules[field.name] ?? (field.optional ? textOrNull(field) : text(field)),
  ]),
) as Rules

export const fieldsSchema = z.object({
  ...rules,
  /** The task's future id, so that a form sent twice is one task; '' lets the database choose. */
  id: z.string(),
})

const atItsPlace = <Schema extends z.ZodType<unknown, { scheduled_date: string; location: string }>>(
  schema: Schema,
) =>
  byClock(schema.superRefine(completeRepeat), ['scheduled_date'], ({ location = '' }) =>
    clockOfLocation(location),
  )

/** Visits have a first time and a length; a snowfall task has no time. */
function completeRepeat(values: unknown, context: z.RefinementCtx) {
  const { repeats, scheduled_date, duration_minutes } = values as Partial<z.output<typeof fieldsSchema>>
  if (!repeats) return
  const wrong = (field: TaskFieldName, message: TextKey) =>
    context.addIssue({ code: 'custom', path: [field], message })
  if (repeats.every === 'snowfall') {
    if (scheduled_date) wrong('scheduled_date', 'tasks.repeat.snowDate')
  } else if (!scheduled_date) wrong('scheduled_date', 'tasks.repeat.noDate')
  if (!duration_minutes) wrong('duration_minutes', 'tasks.repeat.noDuration')
}

export const taskSchema = atItsPlace(fieldsSchema)

/** The fields of each step in which a phone asks for a new task. */
export const POSTING_STEPS = PARTS_OF_STEPS.map((parts) => fieldsOf(...parts).map(({ name }) => name))

const ALL = { title: true, scheduled_date: true, location: true } as const
const stepSchemas = POSTING_STEPS.map((fields) =>
  atItsPlace(fieldsSchema.pick(Object.fromEntries(fields.map((field) => [field, true])) as typeof ALL)),
)

/** The rules of one step, or of everything at the last. Their changes of a form count only there. */
export function postingStepSchema(step: number): typeof taskSchema {
  const ofStep: z.ZodType | undefined = step < POSTING_STEPS.length - 1 ? stepSchemas[step] : taskSchema
  return ofStep as typeof taskSchema
}

/** The step that these values lead to: the first whose rules they break, or the last. */
export function furthestPostingStep(values: TaskForm): number {
  const broken = stepSchemas.findIndex((schema) => !schema.safeParse(values).success)
  return broken < 0 ? POSTING_STEPS.length - 1 : broken
}

/** The same for a task that is changed: its own time may have passed, another one may not. */
export const changedTaskSchema = (before: string | null) =>
  atItsPlace(fieldsSchema.extend({ scheduled_date: coming(before) }))

export type TaskForm = z.input<typeof taskSchema>
export type NewTask = z.output<typeof taskSchema>

/** A form to begin with. Only secure pages can make ids; elsewhere the database does. */
export const newTaskForm = () =>
  ({
    id: crypto.randomUUID?.() ?? '',
    ...Object.fromEntries(taskFields.map(({ name, empty = '' }) => [name, empty])),
  }) as TaskForm

/** The columns that hold dollars. */
type Amount = 'pay_amount' | 'expense_limit'
type PastTask = Omit<TaskValues, Amount> & { pay_amount: Cents; expense_limit: Cents | null }

/** A task as the database takes it, in dollars. */
export const inDollars = <Task extends Pick<NewTask, Amount>>({
  pay_amount,
  expense_limit,
  ...task
}: Task) => ({
  ...task,
  pay_amount: toDollars(pay_amount),
  expense_limit: expense_limit === null ? null : toDollars(expense_limit),
})

function formValue(value: TaskValues[Exclude<TaskFieldName, 'repeats'>]) {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value && typeof value === 'object' && 'latitude' in value) return pointText(value)
  return typeof value === 'number' ? String(value) : (value ?? '')
}

/** A task as the form has it, without its id, time and repeat. */
export const taskFormFrom = (task: PastTask) =>
  ({
    ...Object.fromEntries(
      taskFields.map(({ name }) => [name, name === 'repeats' ? '' : formValue(task[name])]),
    ),
    pay_amount: String(toDollars(task.pay_amount)),
    // Null without a limit; a task that an earlier version kept has none.
    expense_limit: task.expense_limit ? String(toDollars(task.expense_limit)) : '',
    scheduled_date: '',
  }) as Omit<TaskForm, 'id'>

/** A task as the form has it that changes it. */
export const changedTaskForm = (task: PastTask & { id: string }): TaskForm => ({
  ...taskFormFrom(task),
  id: task.id,
  scheduled_date: localFromInstant(task.scheduled_date, clockOfLocation(task.location)),
  repeats: typedFrom(repeatsFrom(task.repeats)),
})

/** The form's input as the task's card shows it. */
export const cardValuesFrom = (typed: { [Name in CardFieldName]?: string }) =>
  ({
    ...Object.fromEntries(Object.entries(typed).map(([name, value]) => [name, String(value ?? '').trim()])),
    scheduled_date: instantFromLocal(typed.scheduled_date ?? '', clockOfLocation(typed.location ?? '')),
    duration_minutes: Number(typed.duration_minutes) || null,
    repeats: repeatsFromTyped(typed.repeats ?? ''),
  }) as Pick<TaskValues, CardFieldName>

/** The name of the draft of an application; an offer of another price keeps its message there, too. */
export const applicationDraft = (taskId: string, userId: string) => `apply:${taskId}:${userId}`

export const applicationSchema = z.object({
  message: z
    .string()
    .refine((value) => characters(value) <= limits.applicationMessage.max, key('tasks.messageTooLong'))
    .transform(trimmed),
})
