// Words and photos about a missed booking: of the report, or of the objection to it.
import type { UseMutationResult } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { trimmed } from '../../../../shared/text.ts'
import type { TextKey } from '../../../i18n/index.ts'
import { z } from '../../../lib/zod.ts'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Textarea } from '../../../ui/Input.tsx'
import { PhotoField } from '../../../ui/photos/PhotoField.tsx'
import { photoNames } from '../../../ui/photos/photoNames.ts'

const key = (text: TextKey) => text

const schemaFor = (needsPhoto: boolean) =>
  z.object({
    words: z
      .string()
      .overwrite(trimmed)
      .refine((words) => [...words].length >= limits.complaint.min, key('schedule.noShow.wordsShort')),
    photos: photoNames.refine(
      (names) => !needsPhoto || names.length > 0,
      key('schedule.noShow.photoRequired'),
    ),
  })

type Values = z.input<ReturnType<typeof schemaFor>>

export function NoShowForm({
  bookingId,
  draft,
  label,
  needsPhoto = false,
  submission,
  submitLabel,
  onSubmit,
}: {
  bookingId: string
  draft: string
  label: string
  needsPhoto?: boolean
  submission: Pick<UseMutationResult<unknown, Error>, 'error' | 'isPending'>
  submitLabel: string
  onSubmit: (values: { words: string; photos: string[] }) => void
}) {
  const { t } = useTranslation()
  const form = useZodForm(schemaFor(needsPhoto), { defaultValues: { words: '', photos: [] }, draft })
  return (
    <Form form={form} submission={submission} className="flex flex-col gap-3" onSubmit={onSubmit}>
      <form.Field name="words" label={label} required>
        <Textarea rows={3} maxLength={limits.complaint.max} className="max-h-60 min-h-20" />
      </form.Field>
      <PhotoField<Values>
        name="photos"
        label={t('schedule.noShow.photos')}
        hint={t(needsPhoto ? 'schedule.noShow.photoNeeded' : 'schedule.noShow.photosHint')}
        required={needsPhoto}
        bucket="booking-photos"
        folder={bookingId}
      />
      <SubmissionError />
      <SubmitButton>{submitLabel}</SubmitButton>
    </Form>
  )
}
