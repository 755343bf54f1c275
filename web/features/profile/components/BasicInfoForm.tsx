// Basic Info: what others read of you, and how your counterpart reaches you.
import { TriangleAlert } from 'lucide-react'
import { useEffect } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { sameName } from '../../../../shared/text.ts'
import { dropDraft, useKeptDraft, useRestoredDraft } from '../../../ui/form/drafts.ts'
import { firstFailure, useErrorText } from '../../../ui/form/errors.ts'
import { Field } from '../../../ui/form/Field.tsx'
import { Input, Textarea } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { removeOtherPhotos } from '../api/photo.ts'
import { useSaveProfile } from '../api/queries.ts'
import { basicInfoSchema } from '../schema.ts'
import type { OwnProfile } from '../types.ts'
import type { PhotoDraft } from './PhotoEditor.tsx'
import { SaveBar } from './SaveBar.tsx'

export function BasicInfoForm({
  profile,
  photo,
  onDone,
}: {
  profile: OwnProfile
  photo: PhotoDraft
  /** It is saved, or given up. */
  onDone: () => void
}) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const saving = useSaveProfile()
  const form = useForm({
    resolver: firstFailure(basicInfoSchema),
    defaultValues: {
      full_name: profile.full_name ?? '',
      phone: profile.phone ?? '',
      city: profile.city ?? '',
      bio: profile.bio ?? '',
      avatar_url: profile.avatar_url ?? '',
    },
  })
  // Another tab or another screen, and back: what was typed is still there.
  const draftName = `profile:${profile.id}`
  useRestoredDraft(draftName, form)
  useKeptDraft(draftName, form)
  const { errors, isDirty } = form.formState
  const { setValue } = form
  useEffect(() => {
    if (photo !== undefined) setValue('avatar_url', photo ?? '', { shouldDirty: true })
  }, [photo, setValue])

  // The badge belongs to the name that was looked at.
  const typedName = useWatch({ control: form.control, name: 'full_name' })
  const losesBadge = (name: string) => profile.is_verified && !sameName(name, profile.full_name ?? '')

  const save = form.handleSubmit((info) => {
    const lostBadge = losesBadge(info.full_name)
    saving.mutate(info, {
      onSuccess: () => {
        form.reset(form.getValues())
        dropDraft(draftName)
        onDone()
        if (info.avatar_url !== profile.avatar_url) removeOtherPhotos(profile.id, info.avatar_url)
        toast.success(t('profile.saved'), {
          description: t(lostBadge ? 'profile.savedWithoutBadge' : 'profile.savedBody'),
        })
      },
      onError: (error) => toast.error(t('profile.error'), { description: error.message }),
    })
  })

  return (
    <form noValidate className="flex flex-col gap-5" onSubmit={save}>
      <div>
        <Field label={t('profile.fullName')} error={errorText(errors.full_name)} required>
          <Input autoComplete="name" {...form.register('full_name')} />
        </Field>
        <div role="status">
          {losesBadge(typedName) && (
            <p className="mt-2 flex items-start gap-2 rounded-md bg-wheat-soft p-3 text-sm text-wheat-ink">
              <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
              {t('profile.nameTakesBadge')}
            </p>
          )}
        </div>
      </div>
      <Field label={t('profile.email')} hint={t('profile.emailHint')}>
        <Input type="email" value={profile.email ?? ''} readOnly />
      </Field>
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label={t('profile.phone')} hint={t('profile.phoneHint')} error={errorText(errors.phone)}>
          <Input type="tel" autoComplete="tel" {...form.register('phone')} />
        </Field>
        <Field label={t('profile.city')} hint={t('profile.cityHint')} error={errorText(errors.city)}>
          <Input autoComplete="address-level2" {...form.register('city')} />
        </Field>
      </div>
      <Field label={t('profile.bio')} hint={t('profile.bioHint')} error={errorText(errors.bio)}>
        <Textarea rows={5} {...form.register('bio')} />
      </Field>
      <Field
        label={t('profile.avatarUrl')}
        hint={t('profile.avatarUrlHint')}
        error={errorText(errors.avatar_url)}
      >
        <Input type="url" inputMode="url" {...form.register('avatar_url')} />
      </Field>
      <SaveBar
        dirty={isDirty}
        saving={saving.isPending}
        onDiscard={() => {
          form.reset()
          dropDraft(draftName)
          onDone()
        }}
      />
    </form>
  )
}
