// Settings of a tasker: skills, preferred categories, experience, rate and availability.
import { Controller } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { categories } from '../../../../shared/categories.ts'
import { toDollars } from '../../../../shared/money.ts'
import { categoryText } from '../../../lib/categoryText.ts'
import { AmountInput } from '../../../ui/AmountInput.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { useErrorText } from '../../../ui/form/errors.ts'
import { Field } from '../../../ui/form/Field.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { Select } from '../../../ui/Select.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { saveSettings } from '../api/actions.ts'
import type { OwnProfile } from '../api/queries.ts'
import { settingsSchema } from '../schema.ts'
import { SaveBar } from './SaveBar.tsx'
import { SkillsInput } from './SkillsInput.tsx'

const AVAILABILITIES = ['available', 'busy', 'unavailable'] as const

export function SettingsForm({ profile }: { profile: OwnProfile }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const form = useZodForm(settingsSchema, {
    defaultValues: {
      skills: profile.skills,
      preferred_categories: profile.preferred_categories,
      experience_years: profile.experience_years?.toString() ?? '',
      hourly_rate: profile.hourly_rate === null ? '' : toDollars(profile.hourly_rate).toString(),
      availability_status: profile.availability_status,
    },
    draft: `settings:${profile.id}`,
    draftIsDirty: true,
  })
  const saving = useAction(saveSettings(profile.id), {
    onSuccess: () => {
      form.reset(form.getValues())
      form.dropDraft()
      toast.success(t('profile.settingsSaved'))
    },
    onError: t('profile.error'),
  })

  return (
    <Form form={form} submission={saving} className="flex flex-col gap-6" onSubmit={saving.mutate}>
      <Field
        label={t('profile.skills')}
        hint={t('profile.skillsHint')}
        error={errorText(form.formState.errors.skills?.root)}
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
        <form.Field name="experience_years" label={t('profile.experience')}>
          <Input inputMode="numeric" autoComplete="off" />
        </form.Field>
        <form.Field
          name="hourly_rate"
          label={t('profile.hourlyRate')}
          hint={t('profile.hourlyRateHint')}
          optional
        >
          <AmountInput />
        </form.Field>
      </div>
      <form.Field name="availability_status" label={t('profile.availability')}>
        <Select>
          {AVAILABILITIES.map((status) => (
            <option key={status} value={status}>
              {t(`profile.${status}`)}
            </option>
          ))}
        </Select>
      </form.Field>
      <SaveBar form={form} saving={saving.isPending} />
    </Form>
  )
}
