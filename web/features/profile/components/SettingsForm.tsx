// Settings of a tasker: skills, preferred categories, experience, rate and availability.
import { Controller, useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { categories } from '../../../../shared/categories.ts'
import { categoryText } from '../../../lib/categoryText.ts'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { dropDraft, useKeptDraft, useRestoredDraft } from '../../../ui/form/drafts.ts'
import { firstFailure, useErrorText } from '../../../ui/form/errors.ts'
import { Field } from '../../../ui/form/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { Select } from '../../../ui/Select.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useSaveProfile } from '../api/queries.ts'
import { settingsSchema } from '../schema.ts'
import type { OwnProfile } from '../types.ts'
import { SaveBar } from './SaveBar.tsx'
import { SkillsInput } from './SkillsInput.tsx'

const availabilities = ['available', 'busy', 'unavailable'] as const

export function SettingsForm({ profile }: { profile: OwnProfile }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const saving = useSaveProfile()
  const form = useForm({
    resolver: firstFailure(settingsSchema),
    defaultValues: {
      skills: profile.skills,
      preferred_categories: profile.preferred_categories,
      experience_years: profile.experience_years?.toString() ?? '',
      hourly_rate: profile.hourly_rate?.toString() ?? '',
      availability_status: profile.availability_status,
    },
  })
  const draftName = `settings:${profile.id}`
  useRestoredDraft(draftName, form)
  useKeptDraft(draftName, form)
  const { errors, isDirty } = form.formState

  const save = form.handleSubmit((settings) =>
    saving.mutate(settings, {
      onSuccess: () => {
        form.reset(form.getValues())
        dropDraft(draftName)
        toast.success(t('profile.settingsSaved'))
      },
      onError: (error) => toast.error(t('profile.error'), { description: error.message }),
    }),
  )

  return (
    <form noValidate className="flex flex-col gap-6" onSubmit={save}>
      <Field
        label={t('profile.skills')}
        hint={t('profile.skillsHint')}
        error={errorText(errors.skills?.root)}
      >
        <Controller
          control={form.control}
          name="skills"
          render={({ field }) => <SkillsInput skills={field.value} onChange={field.onChange} />}
        />
      </Field>
      <fieldset>
        <legend className="font-semibold">{t('profile.preferredCategories')}</legend>
        <p className="mb-2 text-sm text-ink-faint">{t('profile.preferredCategoriesHint')}</p>
        <div className="grid gap-x-6 sm:grid-cols-2">
          {categories.map((category) => (
            <Checkbox
              key={category}
              label={categoryText(t, category)}
              value={category}
              {...form.register('preferred_categories')}
            />
          ))}
        </div>
      </fieldset>
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label={t('profile.experience')} error={errorText(errors.experience_years)}>
          <Input type="number" inputMode="numeric" min={0} step={1} {...form.register('experience_years')} />
        </Field>
        <Field
          label={t('profile.hourlyRate')}
          hint={t('profile.hourlyRateHint')}
          error={errorText(errors.hourly_rate)}
          optional
        >
          <Input type="number" inputMode="decimal" min={0} step={0.01} {...form.register('hourly_rate')} />
        </Field>
      </div>
      <Field label={t('profile.availability')} error={errorText(errors.availability_status)}>
        <Select {...form.register('availability_status')}>
          {availabilities.map((status) => (
            <option key={status} value={status}>
              {t(`profile.${status}`)}
            </option>
          ))}
        </Select>
      </Field>
      <SaveBar
        dirty={isDirty}
        saving={saving.isPending}
        onDiscard={() => {
          form.reset()
          dropDraft(draftName)
        }}
      />
    </form>
  )
}
