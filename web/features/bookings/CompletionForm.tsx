// The tasker's word that the work is done, with notes and photos for the giver.
import { useTranslation } from 'react-i18next'
import { limits } from '../../../shared/limits.ts'
import { trimmed } from '../../../shared/text.ts'
import type { TextKey } from '../../i18n/index.ts'
import { NEXT_PART } from '../../lib/paths.ts'
import { z } from '../../lib/zod.ts'
import { Form, SubmitButton } from '../../ui/form/Form.tsx'
import { useZodForm } from '../../ui/form/useZodForm.ts'
import { Textarea } from '../../ui/Input.tsx'
import { PhotoField } from '../../ui/photos/PhotoField.tsx'
import { photoNames } from '../../ui/photos/photoNames.ts'
import { toast } from '../../ui/Toaster.tsx'
import { useAction } from '../../ui/useAction.ts'
import { markComplete } from './api/actions.ts'

const TOO_LONG: TextKey = 'bookings.notesTooLong'
const schema = z.object({
  notes: z
    .string()
    .overwrite(trimmed)
    .refine((notes) => [...notes].length <= limits.completionNotes.max, TOO_LONG),
  photos: photoNames,
})

export function CompletionForm({ bookingId, onMarked }: { bookingId: string; onMarked: () => void }) {
  const { t } = useTranslation()
  const form = useZodForm(schema, {
    defaultValues: { notes: '', photos: [] },
    draft: `completion:${bookingId}`,
  })
  const marking = useAction(markComplete(bookingId), {
    onSuccess: () => {
      form.dropDraft()
      toast.success(t('bookings.markedComplete'), { description: t('bookings.markedCompleteBody') })
      onMarked()
    },
    onError: t('bookings.error'),
  })
  return (
    <Form form={form} submission={marking} className="flex flex-col gap-3" onSubmit={marking.mutate}>
      <form.Field name="notes" label={t('bookings.notes')} hint={t('bookings.notesHint')} optional>
        <Textarea data-part={NEXT_PART} rows={2} className="max-h-60 min-h-16" />
      </form.Field>
      <PhotoField<{ notes: string; photos: string[] }>
        name="photos"
        label={t('bookings.workPhotos')}
        hint={t('bookings.workPhotosHint')}
        bucket="booking-photos"
        folder={bookingId}
      />
      <SubmitButton>{t('bookings.markComplete')}</SubmitButton>
    </Form>
  )
}
