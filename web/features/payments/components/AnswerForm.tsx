// The tasker's account of a job that the giver complained about; it can be sent once.
import { useTranslation } from 'react-i18next'
import { z } from 'zod'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Textarea } from '../../../ui/Input.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { answerComplaint } from '../api/actions.ts'
import { complaintText } from '../schema.ts'

const schema = z.object({ answer: complaintText('payments.answerTooShort', 'payments.answerTooLong') })

export function AnswerForm({ complaintId }: { complaintId: string }) {
  const { t } = useTranslation()
  const form = useZodForm(schema, { defaultValues: { answer: '' }, draft: `answer:${complaintId}` })
  const answering = useAction(answerComplaint(complaintId), {
    onSuccess: form.dropDraft,
  })
  return (
    <Form form={form} submission={answering} className="flex flex-col gap-3" onSubmit={answering.mutate}>
      <form.Field name="answer" label={t('payments.answer')} hint={t('payments.answerHint')} required>
        <Textarea rows={4} className="max-h-80" />
      </form.Field>
      <SubmissionError />
      <SubmitButton>{t('payments.sendAnswer')}</SubmitButton>
    </Form>
  )
}
