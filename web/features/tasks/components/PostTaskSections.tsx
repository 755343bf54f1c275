// The parts of the form of a new task: what, where and when, tools and pay.
import { type ReactNode, useId } from 'react'
import { type FieldErrors, type UseFormReturn, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { categories } from '../../../../shared/categories.ts'
import { cities } from '../../../../shared/cities.ts'
import type { TextKey } from '../../../i18n/index.ts'
import { categoryText } from '../../../lib/categoryText.ts'
import { formatDuration, localFromInstant } from '../../../lib/format.ts'
import { Field } from '../../../ui/form/Field.tsx'
import { Input, Textarea } from '../../../ui/Input.tsx'
import { RadioCards } from '../../../ui/RadioCards.tsx'
import { Select } from '../../../ui/Select.tsx'
import { characters, type NewTask, type TaskForm } from '../schema.ts'

type SectionProps = { form: UseFormReturn<TaskForm, unknown, NewTask> }

/** Minutes that are offered; a task may say none. */
const durations = [30, 60, 90, 120, 180, 240, 360, 480]

/** The message of a field: a text key from the schema, or the database's own words. */
function useMessage(errors: FieldErrors<TaskForm>): (field: keyof TaskForm) => string | undefined {
  const { t } = useTranslation()
  return (field) => {
    const message = errors[field]?.message
    return message && t(message as TextKey, { defaultValue: message })
  }
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="flex flex-col gap-6">
      <h2 id={id} className="border-b border-line pb-3 text-2xl">
        {title}
      </h2>
      {children}
    </section>
  )
}

export function WhatSection({ form }: SectionProps) {
  const { t } = useTranslation()
  const message = useMessage(form.formState.errors)
  const description = useWatch({ control: form.control, name: 'description' })
  return (
    <Section title={t('tasks.sectionWhat')}>
      <Field label={t('tasks.title')} error={message('title')} required>
        <Input placeholder={t('tasks.titlePlaceholder')} {...form.register('title')} />
      </Field>
      <Field
        label={t('tasks.description')}
        hint={t('tasks.descriptionHint', { count: characters(description.trim()) })}
        error={message('description')}
        required
      >
        <Textarea
          rows={6}
          placeholder={t('tasks.descriptionPlaceholder')}
          className="max-h-[60vh]"
          {...form.register('description')}
        />
      </Field>
      <Field label={t('tasks.category')} error={message('category')} required className="sm:max-w-sm">
        <Select {...form.register('category')}>
          <option value="">{t('tasks.categoryChoose')}</option>
          {categories.map((category) => (
            <option key={category} value={category}>
              {categoryText(t, category)}
            </option>
          ))}
        </Select>
      </Field>
    </Section>
  )
}

export function WhereSection({ form }: SectionProps) {
  const { t } = useTranslation()
  const message = useMessage(form.formState.errors)
  const places = useId()
  return (
    <Section title={t('tasks.sectionWhere')}>
      <Field label={t('tasks.location')} hint={t('tasks.locationHint')} error={message('location')} required>
        <Input list={places} placeholder={t('tasks.locationPlaceholder')} {...form.register('location')} />
      </Field>
      <datalist id={places}>
        {cities.map((city) => (
          <option key={city} value={city} />
        ))}
      </datalist>
      <Field label={t('tasks.address')} hint={t('tasks.addressHint')} error={message('address')} optional>
        <Input autoComplete="street-address" {...form.register('address')} />
      </Field>
      <div className="grid gap-6 sm:grid-cols-2">
        <Field label={t('tasks.when')} hint={t('tasks.whenHint')} error={message('scheduled_date')} optional>
          <Input
            type="datetime-local"
            min={localFromInstant(new Date())}
            {...form.register('scheduled_date')}
          />
        </Field>
        <Field label={t('tasks.duration')} error={message('duration_minutes')} optional>
          <Select {...form.register('duration_minutes')}>
            <option value="">{t('tasks.durationUnknown')}</option>
            {durations.map((minutes) => (
              <option key={minutes} value={minutes}>
                {formatDuration(minutes)}
              </option>
            ))}
          </Select>
        </Field>
      </div>
    </Section>
  )
}

export function PaySection({ form }: SectionProps) {
  const { t } = useTranslation()
  const message = useMessage(form.formState.errors)
  return (
    <Section title={t('tasks.sectionPay')}>
      <RadioCards
        legend={t('tasks.tools')}
        options={[
          { value: 'no', title: t('tasks.toolsOwn'), hint: t('tasks.toolsOwnHint') },
          { value: 'yes', title: t('tasks.toolsProvided'), hint: t('tasks.toolsProvidedHint') },
        ]}
        {...form.register('tools_provided')}
      />
      <Field label={t('tasks.toolsDescription')} error={message('tools_description')} optional>
        <Textarea
          rows={2}
          placeholder={t('tasks.toolsDescriptionPlaceholder')}
          {...form.register('tools_description')}
        />
      </Field>
      <Field
        label={t('tasks.pay')}
        hint={t('tasks.payHint')}
        error={message('pay_amount')}
        required
        className="sm:max-w-xs"
      >
        <DollarInput {...form.register('pay_amount')} />
      </Field>
    </Section>
  )
}

function DollarInput(props: React.ComponentProps<'input'>) {
  return (
    <div className="relative">
      <span
        aria-hidden
        className="pointer-events-none absolute start-4 top-1/2 -translate-y-1/2 font-display text-xl text-ink-soft"
      >
        $
      </span>
      <Input
        inputMode="decimal"
        autoComplete="off"
        className="tabular h-13 ps-9 font-display text-xl font-semibold"
        {...props}
      />
    </div>
  )
}
