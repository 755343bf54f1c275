// The tasker's word that the work is done, with notes that the giver will read.
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { z } from 'zod'
import { limits } from '../../../shared/limits.ts'
import { trimmed } from '../../../shared/text.ts'
import type { TextKey } from '../../i18n/index.ts'
import { errorText } from '../../lib/errorText.ts'
import { Button } from '../../ui/Button.tsx'
import { dropDraft, readDraft, useKeptDraft } from '../../ui/form/drafts.ts'
import { firstFailure, useErrorText } from '../../ui/form/errors.ts'
import { Field } from '../../ui/form/Field.tsx'
import { Textarea } from '../../ui/Input.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { useMarkComplete } from './api/queries.ts'

const tooLong: TextKey = 'bookings.notesTooLong'
const schema = z.object({
  notes: z
    .string()
    .overwrite(trimmed)
    .refine((notes) => [...notes].length <= limits.completionNotes.max, tooLong),
})

export function CompletionForm({ bookingId, onMarked }: { bookingId: string; onMarked: () => void }) {
  const { t } = useTranslation()
  const errorOf = useErrorText()
  const draftName = `completion:${bookingId}`
  const form = useForm({
    resolver: firstFailure(schema),
    defaultValues: { notes: '', ...readDraft<{ notes: string }>(draftName) },
  })
  useKeptDraft(draftName, form)
  const marking = useMarkComplete({
    bookingId,
    onMarked: () => {
      dropDraft(draftName)
      toast.success(t('bookings.markedComplete'), { description: t('bookings.markedCompleteBody') })
      onMarked()
    },
    onFailed: (error) => toast.error(t('bookings.error'), { description: errorText(error) }),
  })
  return (
    <form
      noValidate
      className="flex flex-col gap-3"
      onSubmit={form.handleSubmit(({ notes }) => marking.mutate(notes))}
    >
      <Field
        label={t('bookings.notes')}
        hint={t('bookings.notesHint')}
        error={errorOf(form.formState.errors.notes)}
        optional
      >
        <Textarea rows={2} className="max-h-60 min-h-16" {...form.register('notes')} />
      </Field>
      <Button type="submit" loading={marking.isPending}>
        {t('bookings.markComplete')}
      </Button>
    </form>
  )
}
