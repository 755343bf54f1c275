// The tasker's account of a job that the giver complained about; it can be sent once.
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { z } from 'zod'
import { limits } from '../../../../shared/limits.ts'
import { trimmed, visibleLength } from '../../../../shared/text.ts'
import type { TextKey } from '../../../i18n/index.ts'
import { errorText } from '../../../lib/errorText.ts'
import { Button } from '../../../ui/Button.tsx'
import { dropDraft, readDraft, useKeptDraft } from '../../../ui/form/drafts.ts'
import { firstFailure, useErrorText } from '../../../ui/form/errors.ts'
import { Field, FieldError } from '../../../ui/form/Field.tsx'
import { Textarea } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAnswerComplaint } from '../api/queries.ts'

const tooShort: TextKey = 'payments.answerTooShort'
const tooLong: TextKey = 'payments.answerTooLong'
const schema = z.object({
  answer: z
    .string()
    .overwrite(trimmed)
    .refine((answer) => visibleLength(answer) >= limits.complaint.min, tooShort)
    .refine((answer) => [...answer].length <= limits.complaint.max, tooLong),
})

export function AnswerForm({ complaintId }: { complaintId: string }) {
  const { t } = useTranslation()
  const errorOf = useErrorText()
  const draftName = `answer:${complaintId}`
  const form = useForm({
    resolver: firstFailure(schema),
    defaultValues: { answer: '', ...readDraft<{ answer: string }>(draftName) },
  })
  useKeptDraft(draftName, form)
  const answering = useAnswerComplaint({
    complaintId,
    onAnswered: () => {
      dropDraft(draftName)
      toast.success(t('payments.answered'), { description: t('payments.answeredBody') })
    },
  })
  return (
    <form
      noValidate
      className="flex flex-col gap-3"
      onSubmit={form.handleSubmit(({ answer }) => answering.mutate(answer))}
    >
      <Field
        label={t('payments.answer')}
        hint={t('payments.answerHint')}
        error={errorOf(form.formState.errors.answer)}
        required
      >
        <Textarea rows={4} className="max-h-80" {...form.register('answer')} />
      </Field>
      {answering.error && <FieldError>{errorText(answering.error)}</FieldError>}
      <Button type="submit" loading={answering.isPending}>
        {t('payments.sendAnswer')}
      </Button>
    </form>
  )
}
