// The rules of posting a task and applying to one (specification 001 §5), in the order in which they are reported;
// messages are text keys. The form holds text; the output is what the tasks table takes.

import { categories } from '../../../shared/categories.ts'
import { limits } from '../../../shared/limits.ts'
import { type Cents, cents, fromDollars, toDollars } from '../../../shared/money.ts'
import { plainName, trimmed, visibleLength } from '../../../shared/text.ts'
import type { TextKey } from '../../i18n/index.ts'
import { centsFrom, dollarsFrom, hasTooManyDecimals } from '../../lib/amounts.ts'
import { instantFromLocal, localFromInstant } from '../../lib/format.ts'
import { z } from '../../lib/zod.ts'
import { photoNames } from '../../ui/photos/photoNames.ts'

const key = (text: TextKey) => text

/** Characters as people and the database count them: an emoji is one, whatever JavaScript makes of it. */
export const characters = (text: string) => [...text].length

const text = (
  { min = 0, max }: { min?: number; max: number },
  tooShort: TextKey,
  tooLong: TextKey,
  tidy = trimmed,
) =>
  z
    .string()
    .overwrite(tidy)
    .refine((value) => visibleLength(value) >= min, { error: tooShort, abort: true })
    .refine((value) => characters(value) <= max, tooLong)

const LOWEST_PAY = fromDollars(limits.payAmount.min)
const HIGHEST_PAY = fromDollars(limits.payAmount.max)

const payAmount = z
  .string()
  .refine((typed) => dollarsFrom(typed) > 0, { error: key('tasks.payNotPositive'), abort: true })
  // What may be thousands is not read as little money.
  .refine((typed) => !hasTooManyDecimals(typed), { error: key('tasks.payFractions'), abort: true })
  .transform((typed) => centsFrom(typed) ?? cents(0))
  .refine((amount) => amount >= LOWEST_PAY, { error: key('tasks.payTooLow'), abort: true })
  .refine((amount) => amount <= HIGHEST_PAY, key('tasks.payTooHigh'))

/** The typed pay in cents when it is within the limits, else null. */
export function payFrom(typed: string): Cents | null {
  const amount = centsFrom(typed)
  return amount !== null && amount >= LOWEST_PAY && amount <= HIGHEST_PAY ? amount : null
}

export const taskSchema = z.object({
  // Invisible characters come along when a title is pasted, and the database refuses them.
  title: text(limits.title, key('tasks.titleTooShort'), key('tasks.titleTooLong'), plainName),
  description: text(limits.description, key('tasks.descriptionTooShort'), key('tasks.descriptionTooLong')),
  category: z
    .string()
    .refine((chosen) => categories.some((known) => known === chosen), key('tasks.categoryRequired')),
  location: text(limits.location, key('tasks.locationTooShort'), key('tasks.locationTooLong')),
  pay_amount: payAmount,
  tools_provided: z.enum(['yes', 'no']).transform((answer) => answer === 'yes'),
  tools_description: z
    .string()
    .overwrite(trimmed)
    .refine((value) => characters(value) <= limits.toolsDescription.max, key('tasks.toolsTooLong'))
    .transform((value) => value || null),
  address: z
    .string()
    .overwrite(trimmed)
    .refine((value) => value === '' || visibleLength(value) >= limits.address.min, {
      error: key('tasks.addressTooShort'),
      abort: true,
    })
    .refine((value) => characters(value) <= limits.address.max, key('tasks.addressTooLong')),
  scheduled_date: z
    .string()
    .transform((local) => instantFromLocal(local))
    .refine((at) => at === null || new Date(at) > new Date(), key('tasks.datePast')),
  duration_minutes: z.string().transform((minutes) => (minutes === '' ? null : Number(minutes))),
  /** Names in the bucket task-photos. */
  photos: photoNames,
  /** The task's future id, so that a form sent twice is one task; '' lets the database choose. */
  id: z.string(),
})

/** The fields of each step in which a phone asks for a new task. */
export const POSTING_STEPS = [
  ['title', 'description', 'category', 'photos'],
  ['location', 'address', 'scheduled_date', 'duration_minutes', 'tools_provided', 'tools_description'],
  ['pay_amount'],
] as const satisfies (keyof TaskForm)[][]

const stepSchemas = POSTING_STEPS.map((fields) =>
  taskSchema.pick(Object.fromEntries(fields.map((field) => [field, true])) as { title: true }),
)

/** The rules of one step, or of everything at the last. What they make of a form counts only there. */
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
  taskSchema.extend({
    scheduled_date: z
      .string()
      .transform((local) =>
        before && local === localFromInstant(new Date(before)) ? before : instantFromLocal(local),
      )
      .refine((at) => at === null || at === before || new Date(at) > new Date(), key('tasks.datePast')),
  })

export type TaskForm = z.input<typeof taskSchema>
export type NewTask = z.output<typeof taskSchema>

/** A form to begin with. Only secure pages can make ids; elsewhere the database does. */
export const newTaskForm = (): TaskForm => ({
  id: crypto.randomUUID?.() ?? '',
  title: '',
  description: '',
  category: '',
  location: '',
  address: '',
  scheduled_date: '',
  duration_minutes: '',
  tools_provided: 'no',
  tools_description: '',
  pay_amount: '',
  photos: [],
})

type PastTask = {
  title: string
  description: string
  category: string
  location: string
  pay_amount: Cents
  duration_minutes: number | null
  tools_provided: boolean
  tools_description: string | null
  address: string
  photos: string[]
}

/** A task as the form has it, without its id and time. */
export const taskFormFrom = ({ tools_provided, ...task }: PastTask) => ({
  title: task.title,
  description: task.description,
  category: task.category,
  location: task.location,
  address: task.address,
  duration_minutes: task.duration_minutes === null ? '' : String(task.duration_minutes),
  tools_provided: tools_provided ? ('yes' as const) : ('no' as const),
  tools_description: task.tools_description ?? '',
  pay_amount: String(toDollars(task.pay_amount)),
  photos: task.photos,
})

/** A task as the form has it that changes it. */
export const changedTaskForm = (
  task: PastTask & { id: string; scheduled_date: string | null },
): TaskForm => ({
  ...taskFormFrom(task),
  id: task.id,
  scheduled_date: task.scheduled_date ? localFromInstant(new Date(task.scheduled_date)) : '',
})

export const applicationSchema = z.object({
  message: z
    .string()
    .refine((value) => characters(value) <= limits.applicationMessage.max, key('tasks.messageTooLong'))
    .transform(trimmed),
})
