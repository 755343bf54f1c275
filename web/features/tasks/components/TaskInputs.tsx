// How the form of a task asks for each field of ../fields.ts: texts alike, the others with a special input.

import { Fragment, type ReactNode } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { categories } from '../../../../shared/categories.ts'
import { limits } from '../../../../shared/limits.ts'
import { clockOfLocation } from '../../../../shared/placeClocks.ts'
import { categoryText } from '../../../lib/categoryText.ts'
import { clockWords, formatDuration, formatNumber, localFromInstant } from '../../../lib/format.ts'
import { useOnline } from '../../../lib/useOnline.ts'
import { AmountInput } from '../../../ui/AmountInput.tsx'
import { ClockNote } from '../../../ui/ClockNote.tsx'
import { DateInput } from '../../../ui/DateInput.tsx'
import { FormField } from '../../../ui/form/FormField.tsx'
import { Input, Textarea } from '../../../ui/Input.tsx'
import { PlaceInput } from '../../../ui/PlaceInput.tsx'
import { PhotoField } from '../../../ui/photos/PhotoField.tsx'
import { RadioCards } from '../../../ui/RadioCards.tsx'
import { Select } from '../../../ui/Select.tsx'
import type { AskedTasker } from '../api/posting.ts'
import { fieldsOf, type Part, type TaskField, type TaskFieldName, type TextFieldName } from '../fields.ts'
import { characters, DURATIONS, type TaskForm } from '../schema.ts'
import { AskedDistance } from './AskedDistance.tsx'
import { AskedSlots } from './AskedSlots.tsx'
import { PointInput } from './PointInput.tsx'
import { RepeatInput } from './RepeatInput.tsx'

/** Where photos go to: whoever has no account yet adds them once they have one. */
export type PhotosOf = {
  userId?: string | undefined
  /** Takes pictures that were shared with the app. */
  brought?: (() => Promise<File[]>) | undefined
}
/** The tasker who is asked first by a signed-in giver. */
type AskedOf = { asked?: AskedTasker | null | undefined }
type InputProps = PhotosOf & AskedOf & { field: TaskField }

/** Inputs of fields that are not text, and of texts that have more than a box to type in. */
const INPUTS: Record<Exclude<TaskFieldName, TextFieldName>, (props: InputProps) => ReactNode> & {
  [Name in TextFieldName]?: (props: InputProps) => ReactNode
} = {
  description: DescriptionInput,
  category: CategoryInput,
  location: LocationInput,
  pay_amount: PayInput,
  expense_limit: DollarsInput,
  offers_allowed: OffersInput,
  tools_provided: ToolsInput,
  scheduled_date: DateTimeInput,
  duration_minutes: DurationInput,
  repeats: RepeatInput,
  point: PointInput,
  photos: PhotosInput,
}

/** The inputs of a part of the form. */
export function TaskInputs({ part, ...context }: PhotosOf & AskedOf & { part: Part }) {
  const inputOf = (field: TaskField) => {
    const Own = INPUTS[field.name] ?? TextInput
    return <Own key={field.name} field={field} {...context} />
  }
  return rowsOf(part).map(([first, ...others]) =>
    first.half ? (
      <Fragment key={first.name}>
        {context.asked && <AskedSlots tasker={context.asked} />}
        <div className="grid gap-6 sm:grid-cols-2">{[first, ...others].map(inputOf)}</div>
      </Fragment>
    ) : (
      inputOf(first)
    ),
  )
}

/** A field a row, or neighbours of half a row together. */
function rowsOf(part: Part) {
  const rows: [TaskField, ...TaskField[]][] = []
  for (const field of fieldsOf(part)) {
    const last = rows.at(-1)
    if (field.half && last?.[0].half) last.push(field)
    else rows.push([field])
  }
  return rows
}

type LabelledProps = { field: TaskField; hint?: string; className?: string; children: ReactNode }

function Labelled({ field, hint, className, children }: LabelledProps) {
  const { t } = useTranslation()
  return (
    <FormField<TaskForm>
      name={field.name}
      label={t(field.label)}
      hint={hint ?? (field.hint && t(field.hint))}
      {...(field.optional ? { optional: true } : { required: true })}
      {...(className && { className })}
    >
      {children}
    </FormField>
  )
}

function TextInput({ field }: InputProps) {
  const { t } = useTranslation()
  const { autoComplete, placeholder, text } = field
  const typing = { autoComplete, placeholder: placeholder && t(placeholder) }
  return (
    <Labelled field={field}>
      {text?.rows ? <Textarea rows={text.rows} {...typing} /> : <Input {...typing} />}
    </Labelled>
  )
}

function DescriptionInput({ field }: InputProps) {
  const { t } = useTranslation()
  const description = useWatch<TaskForm, 'description'>({ name: 'description' })
  return (
    <Labelled
      field={field}
      hint={t('tasks.descriptionHint', {
        count: formatNumber(characters(description.trim())),
        min: formatNumber(limits.description.min),
        max: formatNumber(limits.description.max),
      })}
    >
      <Textarea
        rows={field.text?.rows}
        placeholder={t('tasks.descriptionPlaceholder')}
        className="max-h-[60vh]"
      />
    </Labelled>
  )
}

function CategoryInput({ field }: InputProps) {
  const { t } = useTranslation()
  return (
    <Labelled field={field} className="sm:max-w-sm">
      <Select>
        <option value="">{t('tasks.categoryChoose')}</option>
        {categories.map((category) => (
          <option key={category} value={category}>
            {categoryText(t, category)}
          </option>
        ))}
      </Select>
    </Labelled>
  )
}

function PhotosInput({ field, userId, brought }: InputProps) {
  const { t } = useTranslation()
  const online = useOnline()
  if (!userId) return <p className="text-sm text-ink-soft">{t('tasks.photosLater')}</p>
  return (
    <PhotoField<TaskForm>
      name="photos"
      label={t(field.label)}
      hint={t(online ? 'tasks.photosHint' : 'tasks.photosOffline')}
      bucket="task-photos"
      folder={userId}
      brought={brought}
      small
    />
  )
}

function LocationInput({ field, asked }: InputProps) {
  const { t } = useTranslation()
  const location = useWatch<TaskForm, 'location'>({ name: 'location' })
  return (
    <div className="flex flex-col gap-1.5">
      <Labelled field={field}>
        <PlaceInput placeholder={t('tasks.locationPlaceholder')} />
      </Labelled>
      {asked && <AskedDistance tasker={asked} location={location} />}
    </div>
  )
}

function DateTimeInput({ field }: InputProps) {
  const { t } = useTranslation()
  const [typed, location] = useWatch<TaskForm, ['scheduled_date', 'location']>({
    name: ['scheduled_date', 'location'],
  })
  const timeZone = clockOfLocation(location)
  return (
    <div className="flex flex-col gap-1.5">
      <Labelled field={field} hint={t('tasks.whenHint', clockWords(timeZone))}>
        <DateInput withTime min={localFromInstant(new Date(), timeZone)} />
      </Labelled>
      <ClockNote typed={typed} timeZone={timeZone} />
    </div>
  )
}

function DurationInput({ field }: InputProps) {
  const { t } = useTranslation()
  const own = Number(useWatch<TaskForm, 'duration_minutes'>({ name: 'duration_minutes' }))
  // A task of before may take as long as no option says.
  const offered = own && !DURATIONS.includes(own) ? [...DURATIONS, own].sort((a, b) => a - b) : DURATIONS
  return (
    <Labelled field={field}>
      <Select>
        <option value="">{t('tasks.durationUnknown')}</option>
        {offered.map((minutes) => (
          <option key={minutes} value={minutes}>
            {formatDuration(minutes)}
          </option>
        ))}
      </Select>
    </Labelled>
  )
}

function ToolsInput({ field }: InputProps) {
  const { t } = useTranslation()
  const { register } = useFormContext<TaskForm>()
  return (
    <RadioCards
      legend={t(field.label)}
      options={[
        { value: 'no', title: t('tasks.toolsOwn'), hint: t('tasks.toolsOwnHint') },
        { value: 'yes', title: t('tasks.toolsProvided'), hint: t('tasks.toolsProvidedHint') },
      ]}
      {...register('tools_provided')}
    />
  )
}

function OffersInput({ field }: InputProps) {
  const { t } = useTranslation()
  const { register } = useFormContext<TaskForm>()
  return (
    <RadioCards
      legend={t(field.label)}
      options={[
        { value: 'yes', title: t('tasks.offersYes'), hint: t('tasks.offersYesHint') },
        { value: 'no', title: t('tasks.offersNo'), hint: t('tasks.offersNoHint') },
      ]}
      {...register('offers_allowed')}
    />
  )
}

function DollarsInput({ field }: InputProps) {
  return (
    <Labelled field={field}>
      <AmountInput className="tabular sm:max-w-xs" />
    </Labelled>
  )
}

function PayInput({ field }: InputProps) {
  return (
    <Labelled field={field} className="sm:max-w-xs">
      <div className="relative">
        <span
          aria-hidden
          translate="no"
          className="pointer-events-none absolute start-4 top-0 flex h-13 items-center font-display text-xl text-ink-soft"
        >
          $
        </span>
        {/* The digits next to their sign, also where that is on the right. */}
        <AmountInput className="tabular h-13 ps-9 font-display text-xl font-semibold rtl:text-right" />
      </div>
    </Labelled>
  )
}
