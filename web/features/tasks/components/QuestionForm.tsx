// Writes a question or an answer: a text with the characters used, and what of it will be hidden.
import { useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { trimmed, visibleLength } from '../../../../shared/text.ts'
import { formatNumber } from '../../../lib/format.ts'
import { z } from '../../../lib/zod.ts'
import { Button } from '../../../ui/Button.tsx'
import { ContactsWillBeHidden } from '../../../ui/ContactNotice.tsx'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Textarea } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { type Action, useAction } from '../../../ui/useAction.ts'
import { characters } from '../schema.ts'

const KINDS = {
  question: {
    schema: schemaOf('applying.questions.emptyQuestion', 'applying.questions.tooLongQuestion'),
    label: 'applying.questions.question',
    send: 'applying.questions.ask',
    done: 'applying.questions.asked',
  },
  answer: {
    schema: schemaOf('applying.questions.emptyAnswer', 'applying.questions.tooLongAnswer'),
    label: 'applying.questions.answer',
    send: 'applying.questions.sendAnswer',
    done: 'applying.questions.answered',
  },
} as const

function schemaOf(empty: string, tooLong: string) {
  return z.object({
    text: z
      .string()
      .overwrite(trimmed)
      .refine((text) => visibleLength(text) >= 1, { error: empty, abort: true })
      .refine((text) => characters(text) <= limits.question.max, tooLong),
  })
}

type QuestionFormProps = {
  kind: keyof typeof KINDS
  action: Action<{ text: string }>
  /** Stores the input under this name. */
  draft: string
  /** The answer that is being changed, and its end. */
  before?: string
  onEnd?: () => void
}

export function QuestionForm({ kind, action, draft, before, onEnd }: QuestionFormProps) {
  const { t } = useTranslation()
  const { schema, label, send, done } = KINDS[kind]
  const form = useZodForm(schema, { defaultValues: { text: before ?? '' }, draft })
  const text = useWatch({ control: form.control, name: 'text' })
  const sending = useAction(action, {
    onSuccess: () => {
      form.reset({ text: '' })
      form.dropDraft()
      toast.success(t(done))
      onEnd?.()
    },
  })
  const used = t('applying.questions.used', {
    count: formatNumber(characters(text)),
    max: formatNumber(limits.question.max),
  })
  return (
    <Form form={form} submission={sending} className="flex flex-col gap-3" onSubmit={sending.mutate}>
      <form.Field
        name="text"
        label={t(label)}
        hint={
          kind === 'answer'
            ? `${used} ${t('applying.questions.changeHint', { minutes: limits.question.changeMinutes })}`
            : used
        }
      >
        <Textarea
          rows={2}
          placeholder={kind === 'question' ? t('applying.questions.placeholder') : undefined}
        />
      </form.Field>
      <ContactsWillBeHidden text={text} />
      <SubmissionError />
      <div className="flex flex-wrap gap-3">
        <SubmitButton variant={kind === 'question' ? 'secondary' : 'primary'}>
          {t(before === undefined ? send : 'applying.questions.save')}
        </SubmitButton>
        {onEnd && (
          <Button
            variant="ghost"
            onClick={() => {
              form.dropDraft()
              onEnd()
            }}
          >
            {t('applying.questions.cancel')}
          </Button>
        )}
      </div>
    </Form>
  )
}
