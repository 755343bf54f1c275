// The tasker's word that the work is done, with notes and photos for the giver. Before the agreed day it is asked about:
// the word cannot be taken back.
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../shared/limits.ts'
import { trimmed } from '../../../shared/text.ts'
import type { TextKey } from '../../i18n/index.ts'
import { formatDateTime, formatDay } from '../../lib/format.ts'
import { NEXT_PART } from '../../lib/paths.ts'
import { z } from '../../lib/zod.ts'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { Form, SubmitButton } from '../../ui/form/Form.tsx'
import { useZodForm } from '../../ui/form/useZodForm.ts'
import { Textarea } from '../../ui/Input.tsx'
import { PhotoField } from '../../ui/photos/PhotoField.tsx'
import { photoNames } from '../../ui/photos/photoNames.ts'
import { toast } from '../../ui/Toaster.tsx'
import { useAction } from '../../ui/useAction.ts'
import { type Completion, markComplete } from './api/actions.ts'

const TOO_LONG: TextKey = 'bookings.notesTooLong'
const schema = z.object({
  notes: z
    .string()
    .overwrite(trimmed)
    .refine((notes) => [...notes].length <= limits.completionNotes.max, TOO_LONG),
  photos: photoNames,
})

type FormProps = {
  bookingId: string
  /** When the work was agreed for; null for any time. */
  scheduled: string | null
  /** The clock of the task's place. */
  timeZone: string
  onMarked: () => void
}

export function CompletionForm({ bookingId, scheduled, timeZone, onMarked }: FormProps) {
  const { t } = useTranslation()
  /** The completion while the question about its early date is open. */
  const [early, setEarly] = useState<Completion | null>(null)
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
  const mark = (completion: Completion) => {
    if (scheduled && formatDay(scheduled) > formatDay(new Date())) setEarly(completion)
    else marking.mutate(completion)
  }
  return (
    <Form form={form} submission={marking} className="flex flex-col gap-3" onSubmit={mark}>
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
      {scheduled && (
        <AlertDialog
          open={early !== null}
          onOpenChange={(open) => !open && setEarly(null)}
          title={t('bookings.early.title')}
          description={t('bookings.early.body', { at: formatDateTime(scheduled, timeZone) })}
          confirmLabel={t('bookings.markComplete')}
          cancelLabel={t('bookings.early.notYet')}
          onConfirm={() => {
            if (early) marking.mutate(early)
            setEarly(null)
          }}
        />
      )}
    </Form>
  )
}
