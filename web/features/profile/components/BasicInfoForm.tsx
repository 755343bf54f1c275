// Basic Info: what others read of you, and how your counterpart reaches you.

import { TriangleAlert } from 'lucide-react'
import { useEffect } from 'react'
import { useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { sameName } from '../../../../shared/text.ts'
import { errorText } from '../../../lib/errorText.ts'
import { Field } from '../../../ui/form/Field.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { FormField } from '../../../ui/form/FormField.tsx'
import { showRefusedField } from '../../../ui/form/refusedField.ts'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input, Textarea } from '../../../ui/Input.tsx'
import { PhoneInput } from '../../../ui/PhoneInput.tsx'
import { PlaceInput } from '../../../ui/PlaceInput.tsx'
import { usePhone } from '../../../ui/phone.ts'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { saveBasicInfo } from '../api/actions.ts'
import type { OwnProfile } from '../api/queries.ts'
import { basicInfoSchema } from '../schema.ts'
import type { PhotoDraft } from './PhotoEditor.tsx'
import { SaveBar } from './SaveBar.tsx'

type BasicInfoFormProps = {
  profile: OwnProfile
  photo: PhotoDraft
  /** It is saved, or given up. */
  onDone: () => void
}

export function BasicInfoForm({ profile, photo, onDone }: BasicInfoFormProps) {
  const { t } = useTranslation()
  // Another tab or another screen, and back: what was typed is still there.
  const form = useZodForm(basicInfoSchema, {
    defaultValues: {
      full_name: profile.full_name ?? '',
      phone: profile.phone ?? '',
      city: profile.city ?? '',
      bio: profile.bio ?? '',
      avatar_url: profile.avatar_url ?? '',
    },
    draft: `profile:${profile.id}`,
    draftIsDirty: true,
  })
  const { setValue, getValues, resetField } = form
  // Shown as numbers are written, which does not change it.
  const phone = usePhone(profile.phone, { whole: true })
  useEffect(() => {
    if (getValues('phone') === profile.phone) resetField('phone', { defaultValue: phone })
  }, [phone, profile.phone, getValues, resetField])
  useEffect(() => {
    if (photo !== undefined) setValue('avatar_url', photo ?? '', { shouldDirty: true })
  }, [photo, setValue])

  // The badge belongs to the name that was looked at.
  const losesBadge = (name: string) => profile.is_verified && !sameName(name, profile.full_name ?? '')

  const saving = useAction(saveBasicInfo(profile.id), {
    onSuccess: (_, info) => {
      form.reset(form.getValues())
      form.dropDraft()
      onDone()
      toast.success(t('profile.saved'), {
        description: t(losesBadge(info.full_name) ? 'profile.savedWithoutBadge' : 'profile.savedBody'),
      })
    },
    onError: (error) => {
      toast.error(t('profile.error'), { description: errorText(error) })
      showRefusedField(form, error)
    },
  })

  return (
    <Form form={form} submission={saving} onSubmit={saving.mutate}>
      <NameField losesBadge={losesBadge} />
      <Field label={t('profile.email')} hint={t('profile.emailHint')}>
        <Input type="email" value={profile.email ?? ''} readOnly />
      </Field>
      <div className="grid gap-5 sm:grid-cols-2">
        <form.Field name="phone" label={t('profile.phone')} hint={t('profile.phoneHint')}>
          <PhoneInput />
        </form.Field>
        <form.Field name="city" label={t('profile.city')} hint={t('profile.cityHint')}>
          <PlaceInput onlyMunicipalities autoComplete="address-level2" />
        </form.Field>
      </div>
      <form.Field name="bio" label={t('profile.bio')} hint={t('profile.bioHint')}>
        <Textarea rows={5} />
      </form.Field>
      <form.Field name="avatar_url" label={t('profile.avatarUrl')} hint={t('profile.avatarUrlHint')}>
        <Input type="url" inputMode="url" />
      </form.Field>
      <SaveBar form={form} saving={saving.isPending} onDiscard={onDone} />
    </Form>
  )
}

/** `losesBadge`: whether the person would lose it under that name. */
function NameField({ losesBadge }: { losesBadge: (name: string) => boolean }) {
  const { t } = useTranslation()
  const typedName = useWatch<{ full_name: string }>({ name: 'full_name' })
  return (
    <div>
      <FormField name="full_name" label={t('profile.fullName')} hint={t('profile.fullNameHint')} required>
        <Input autoComplete="name" />
      </FormField>
      <div role="status">
        {losesBadge(typedName) && (
          <p className="mt-2 flex items-start gap-2 rounded-md bg-wheat-soft p-3 text-sm text-wheat-ink">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            <span>{t('profile.nameTakesBadge')}</span>
          </p>
        )}
      </div>
    </div>
  )
}
