// The tasker's account of a job that the giver complained about; it can be sent once.
import { useTranslation } from 'react-i18next'
import { ANSWER_PART } from '../../../lib/paths.ts'
import { z } from '../../../lib/zod.ts'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Textarea } from '../../../ui/Input.tsx'
import { PhotoField } from '../../../ui/photos/PhotoField.tsx'
import { photoNames } from '../../../ui/photos/photoNames.ts'
import { useAction } from '../../../ui/useAction.ts'
import { answerComplaint } from '../api/actions.ts'
import { complaintText } from '../schema.ts'

const schema = z.object({
  answer: complaintText('payments.answerTooShort', 'payments.answerTooLong'),
  photos: photoNames,
})

export function AnswerForm({ complaintId, bookingId }: { complaintId: string; bookingId: string }) {
  const { t } = useTranslation()
  const form = useZodForm(schema, {
    defaultValues: { answer: '', photos: [] },
    draft: `answer:${complaintId}`,
  })
  const answering = useAction(answerComplaint(complaintId), {
    onSuccess: form.dropDraft,
  })
  return (
    <div data-part={ANSWER_PART}>
      <Form form={form} submission={answering} className="flex flex-col gap-3" onSubmit={answering.mutate}>
        <form.Field name="answer" label={t('payments.answer')} hint={t('payments.answerHint')} required>
          <Textarea rows={4} className="max-h-80" />
        </form.Field>
        <PhotoField<z.input<typeof schema>>
          name="photos"
          label={t('payments.photos')}
          hint={t('payments.photosHint')}
          bucket="booking-photos"
          folder={bookingId}
        />
        <SubmissionError />
        <SubmitButton>{t('payments.sendAnswer')}</SubmitButton>
      </Form>
    </div>
  )
}
