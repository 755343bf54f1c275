// A field for the code of an e-mail, for people who read mail on another device. The code does the same as the link.
import { useTranslation } from 'react-i18next'
import { Problem } from '../../../ui/form/Field.tsx'
import { Form, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { confirmCode } from '../api/actions.ts'
import { isSpentLink, otherMessage } from '../errors.ts'
import { codeSchema } from '../schema.ts'

type EmailCodeProps = { email: string; type: 'signup' | 'recovery'; onConfirmed?: () => void }

export function EmailCode({ email, type, onConfirmed }: EmailCodeProps) {
  const { t } = useTranslation()
  const form = useZodForm(codeSchema, { defaultValues: { code: '' } })
  const confirming = useAction(confirmCode, {
    onSuccess: () => {
      // It asks for something that has just been done.
      toast.dismiss()
      onConfirmed?.()
    },
  })
  return (
    <Form
      form={form}
      submission={confirming}
      className="mt-3 flex flex-col gap-3"
      onSubmit={({ code }) => confirming.mutate({ email, code, type })}
    >
      <form.Field name="code" label={t('auth.factorCode')} hint={t('auth.confirmCodeHint')} required>
        <Input inputMode="numeric" autoComplete="one-time-code" className="tabular max-w-40" />
      </form.Field>
      {confirming.error && (
        <Problem>
          {isSpentLink(confirming.error) ? t('auth.confirmCodeWrong') : otherMessage(confirming.error, t)}
        </Problem>
      )}
      <SubmitButton size="sm" variant="secondary" className="self-start">
        {t('auth.verify')}
      </SubmitButton>
    </Form>
  )
}
