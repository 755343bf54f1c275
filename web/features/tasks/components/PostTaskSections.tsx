// The parts of the form of a new task: what, where and when, tools and pay.

import { type ReactNode, useId } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { categories } from '../../../../shared/categories.ts'
import { CITIES } from '../../../../shared/cities.ts'
import { categoryText } from '../../../lib/categoryText.ts'
import { formatDuration, localFromInstant } from '../../../lib/format.ts'
import { useOnline } from '../../../lib/useOnline.ts'
import { AmountInput } from '../../../ui/AmountInput.tsx'
import { DateInput } from '../../../ui/DateInput.tsx'
import { FormField } from '../../../ui/form/FormField.tsx'
import { Input, Textarea } from '../../../ui/Input.tsx'
import { PhotoField } from '../../../ui/photos/PhotoField.tsx'
import { RadioCards } from '../../../ui/RadioCards.tsx'
import { Select } from '../../../ui/Select.tsx'
import { characters, type TaskForm } from '../schema.ts'
import { FeePreview } from './PostTaskPreview.tsx'

/** Minutes that are offered; a task may have none. */
const DURATIONS = [30, 60, 90, 120, 180, 240, 360, 480]

type SectionProps = {
  /** Another step is shown; what is typed here stays. */
  hidden: boolean
  /** It is one step of several, whose strip shows its name already. */
  asStep: boolean
}

function Section({ title, hidden, asStep, children }: SectionProps & { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} hidden={hidden} className="flex flex-col gap-6 max-sm:gap-4">
      <h2
        id={id}
        tabIndex={-1}
        className={
          asStep
            ? 'sr-only'
            : 'border-b border-line pb-3 text-2xl focus-visible:outline-none max-sm:pb-2 max-sm:text-xl'
        }
      >
        {title}
      </h2>
      {children}
    </section>
  )
}

/** `userId` is undefined for who has no account yet: photos come once they have one. */
/** `brought` takes pictures that were shared with the app. */
export function WhatSection({
  userId,
  brought,
  ...section
}: SectionProps & {
  userId: string | undefined
  brought: (() => Promise<File[]>) | undefined
}) {
  const { t } = useTranslation()
  const online = useOnline()
  const description = useWatch<TaskForm, 'description'>({ name: 'description' })
  return (
    <Section title={t('tasks.sectionWhat')} {...section}>
      <FormField<TaskForm> label={t('tasks.title')} name="title" required>
        <Input placeholder={t('tasks.titlePlaceholder')} />
      </FormField>
      <FormField<TaskForm>
        label={t('tasks.description')}
        hint={t('tasks.descriptionHint', { count: characters(description.trim()) })}
        name="description"
        required
      >
        <Textarea rows={6} placeholder={t('tasks.descriptionPlaceholder')} className="max-h-[60vh]" />
      </FormField>
      <FormField<TaskForm> label={t('tasks.category')} name="category" required className="sm:max-w-sm">
        <Select>
          <option value="">{t('tasks.categoryChoose')}</option>
          {categories.map((category) => (
            <option key={category} value={category}>
              {categoryText(t, category)}
            </option>
          ))}
        </Select>
      </FormField>
      {userId && (
        <PhotoField<TaskForm>
          name="photos"
          label={t('tasks.photos')}
          hint={t(online ? 'tasks.photosHint' : 'tasks.photosOffline')}
          bucket="task-photos"
          folder={userId}
          brought={brought}
          small
        />
      )}
    </Section>
  )
}

export function WhereSection(section: SectionProps) {
  const { t } = useTranslation()
  const places = useId()
  const own = Number(useWatch<TaskForm, 'duration_minutes'>({ name: 'duration_minutes' }))
  // A task of before may take as long as no option says.
  const offered = own && !DURATIONS.includes(own) ? [...DURATIONS, own].sort((a, b) => a - b) : DURATIONS
  return (
    <Section title={t('tasks.sectionWhere')} {...section}>
      <FormField<TaskForm>
        label={t('tasks.location')}
        hint={t('tasks.locationHint')}
        name="location"
        required
      >
        <Input list={places} placeholder={t('tasks.locationPlaceholder')} />
      </FormField>
      <datalist id={places}>
        {CITIES.map((city) => (
          <option key={city} value={city} />
        ))}
      </datalist>
      <FormField<TaskForm> label={t('tasks.address')} hint={t('tasks.addressHint')} name="address" optional>
        <Input autoComplete="street-address" />
      </FormField>
      <div className="grid gap-6 sm:grid-cols-2">
        <FormField<TaskForm>
          label={t('tasks.when')}
          hint={t('tasks.whenHint')}
          name="scheduled_date"
          optional
        >
          <DateInput withTime min={localFromInstant(new Date())} />
        </FormField>
        <FormField<TaskForm> label={t('tasks.duration')} name="duration_minutes" optional>
          <Select>
            <option value="">{t('tasks.durationUnknown')}</option>
            {offered.map((minutes) => (
              <option key={minutes} value={minutes}>
                {formatDuration(minutes)}
              </option>
            ))}
          </Select>
        </FormField>
      </div>
      {section.asStep && <Tools />}
    </Section>
  )
}

/** `tasker`: the name of the one who is asked first. */
export function PaySection({ tasker, ...section }: SectionProps & { tasker: string | undefined }) {
  const { t } = useTranslation()
  return (
    <Section title={t(section.asStep ? 'tasks.stepPrice' : 'tasks.sectionPay')} {...section}>
      {!section.asStep && <Tools />}
      <FormField<TaskForm>
        label={t('tasks.pay')}
        hint={t('tasks.payHint')}
        name="pay_amount"
        required
        className="sm:max-w-xs"
      >
        <DollarInput />
      </FormField>
      <FeePreview tasker={tasker} />
    </Section>
  )
}

function Tools() {
  const { t } = useTranslation()
  const { register } = useFormContext<TaskForm>()
  return (
    <>
      <RadioCards
        legend={t('tasks.tools')}
        options={[
          { value: 'no', title: t('tasks.toolsOwn'), hint: t('tasks.toolsOwnHint') },
          { value: 'yes', title: t('tasks.toolsProvided'), hint: t('tasks.toolsProvidedHint') },
        ]}
        {...register('tools_provided')}
      />
      <FormField<TaskForm> label={t('tasks.toolsDescription')} name="tools_description" optional>
        <Textarea rows={2} placeholder={t('tasks.toolsDescriptionPlaceholder')} />
      </FormField>
    </>
  )
}

function DollarInput() {
  return (
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
  )
}
