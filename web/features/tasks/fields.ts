// The fields of a task, each once, in the order in which their failures are reported. The form and its rules, the preview, the
// facts of a task and the queries read this list. Plain data only, because the list of /browse needs it before the app starts.
import { CalendarDays, Clock, type LucideIcon, MapPin, Repeat } from 'lucide-react'
import type { Position } from '../../../shared/distances.ts'
import { limits } from '../../../shared/limits.ts'
import type { TextKey } from '../../i18n/index.ts'
import type { Database } from '../../lib/database.types.ts'

type Tasks = Database['public']['Tables']['tasks']
/** Columns that no form asks for. */
type NotAsked =
  | ('id' | 'task_giver_id' | 'asked_tasker_id' | 'asked_until')
  | ('status' | 'hidden_for' | 'created_at' | 'updated_at')
  | ('place_id' | 'public_latitude' | 'public_longitude' | 'series_id')
/** The address and the exact point have separate tables, which fewer people may read. */
type Column = Exclude<keyof Tasks['Update'], NotAsked>

/** A part of the form. A phone asks for each list of parts in a separate step. */
export type Part = 'what' | 'where' | 'tools' | 'pay'
export const PARTS_OF_STEPS: readonly (readonly Part[])[] = [['what'], ['where', 'tools'], ['pay']]
export const PARTS = PARTS_OF_STEPS.flat()

type FieldData = {
  name: string
  part: Part
  label: TextKey
  hint?: TextKey
  placeholder?: TextKey
  autoComplete?: string
  optional?: true
  /** The value in a new form; '' if left out. */
  empty?: 'yes' | 'no' | readonly []
  /** Of a text. Any other field has its rule in schema.ts and its input in TaskInputs.tsx. */
  text?: { min?: number; max: number; tooShort?: TextKey; tooLong: TextKey; rows?: number }
  /** Two neighbours that have it share a row. */
  half?: true
  /** Its label among the facts on the page of a task. */
  fact?: TextKey
  /** Its icon on the card of a task, which shows no field without one. */
  icon?: LucideIcon
}

const FIELDS = [
  {
    name: 'title',
    part: 'what',
    label: 'tasks.title',
    placeholder: 'tasks.titlePlaceholder',
    text: { ...limits.title, tooShort: 'tasks.titleTooShort', tooLong: 'tasks.titleTooLong' },
  },
  {
    name: 'description',
    part: 'what',
    label: 'tasks.description',
    placeholder: 'tasks.descriptionPlaceholder',
    text: {
      ...limits.description,
      tooShort: 'tasks.descriptionTooShort',
      tooLong: 'tasks.descriptionTooLong',
      rows: 6,
    },
  },
  { name: 'category', part: 'what', label: 'tasks.category' },
  {
    name: 'location',
    part: 'where',
    label: 'tasks.location',
    hint: 'tasks.locationHint',
    placeholder: 'tasks.locationPlaceholder',
    text: { ...limits.location, tooShort: 'tasks.locationTooShort', tooLong: 'tasks.locationTooLong' },
    fact: 'tasks.location',
    icon: MapPin,
  },
  { name: 'pay_amount', part: 'pay', label: 'tasks.pay', hint: 'tasks.payHint' },
  {
    name: 'expense_limit',
    part: 'pay',
    label: 'tasks.expensesField',
    hint: 'tasks.expensesHint',
    optional: true,
    fact: 'tasks.expenses',
  },
  { name: 'offers_allowed', part: 'pay', label: 'tasks.offers', empty: 'yes' },
  { name: 'tools_provided', part: 'tools', label: 'tasks.tools', empty: 'no', fact: 'tasks.tools' },
  {
    name: 'tools_description',
    part: 'tools',
    label: 'tasks.toolsDescription',
    placeholder: 'tasks.toolsDescriptionPlaceholder',
    optional: true,
    text: { ...limits.toolsDescription, tooLong: 'tasks.toolsTooLong', rows: 2 },
  },
  {
    name: 'address',
    part: 'where',
    label: 'tasks.address',
    hint: 'tasks.addressHint',
    autoComplete: 'street-address',
    optional: true,
    text: { ...limits.address, tooShort: 'tasks.addressTooShort', tooLong: 'tasks.addressTooLong' },
    fact: 'tasks.yourAddress',
  },
  {
    name: 'point',
    part: 'where',
    label: 'tasks.point.label',
    hint: 'tasks.point.hint',
    optional: true,
    fact: 'tasks.point.label',
  },
  {
    name: 'scheduled_date',
    part: 'where',
    label: 'tasks.when',
    hint: 'tasks.whenHint',
    optional: true,
    half: true,
    fact: 'tasks.scheduled',
    icon: CalendarDays,
  },
  {
    name: 'duration_minutes',
    part: 'where',
    label: 'tasks.duration',
    optional: true,
    half: true,
    fact: 'tasks.duration',
    icon: Clock,
  },
  {
    name: 'repeats',
    part: 'where',
    label: 'tasks.repeats',
    optional: true,
    fact: 'tasks.repeats',
    icon: Repeat,
  },
  { name: 'photos', part: 'what', label: 'tasks.photos', empty: [] },
] as const satisfies readonly FieldData[]

export type FieldEntry = (typeof FIELDS)[number]
/** Does not compile while the table has a column that is neither a field nor among NotAsked. */
type Complete<Wanted extends Listed, Listed> = Wanted | Listed
type Private = 'address' | 'point'
export type TaskFieldName = Complete<Column | Private, FieldEntry['name']>
export type TextFieldName = Extract<FieldEntry, { text: object }>['name']
export type CardFieldName = Extract<FieldEntry, { icon: LucideIcon }>['name']
export type TaskField = FieldData & { name: TaskFieldName }

/** A task's fields as the database has them; address and point are null for whoever may not read them. */
export type TaskValues = Pick<Tasks['Row'], Column> & { address: string | null; point: Position | null }

export const taskFields: readonly TaskField[] = FIELDS

export const fieldNamed = (name: TaskFieldName) =>
  taskFields.find((field) => field.name === name) as TaskField

/** In the order of the form. */
export const fieldsOf = (...parts: readonly Part[]): TaskField[] =>
  parts.flatMap((part) => taskFields.filter((field) => field.part === part))

type ColumnsOf<Entries> = Entries extends readonly [infer First extends { name: string }, ...infer Rest]
  ? First['name'] extends Private
    ? ColumnsOf<Rest>
    : `,${First['name']}${ColumnsOf<Rest>}`
  : ''
/** For a select after its first column: `,title,description,…`. */
export const FIELD_COLUMNS = FIELDS.filter(({ name }) => name !== 'address' && name !== 'point')
  .map(({ name }) => `,${name}`)
  .join('') as ColumnsOf<typeof FIELDS>
