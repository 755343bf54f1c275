// Another address to sign in with: asked for here, there once both addresses have confirmed it.
import { useTranslation } from 'react-i18next'
import type { TextKey } from '../../../i18n/index.ts'
import type { z } from '../../../lib/zod.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { INITIAL_FOCUS } from '../../../ui/returnFocus.ts'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { changeEmail } from '../api/actions.ts'
import { newEmailSchema } from '../schema.ts'

export function EmailDialog({
  userId,
  present,
  onClose,
}: {
  userId: string
  present: string
  onClose: () => void
}) {
  const { t } = useTranslation()
  const another = newEmailSchema.refine(({ email }) => email.toLowerCase() !== present.toLowerCase(), {
    path: ['email'],
    error: 'account.sameEmail' satisfies TextKey,
  })
  const form = useZodForm(another as z.ZodType<{ email: string }, { email: string }>, {
    defaultValues: { email: '' },
  })
  const changing = useAction(changeEmail(userId), {
    onSuccess: () => {
      toast.success(t('account.emailsSent'), { description: t('account.emailsSentBody') })
      onClose()
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !changing.isPending && onClose()}
      title={t('account.changeEmail')}
      description={t('account.changeEmailBody', { email: present })}
      size="sm"
    >
      <Form form={form} submission={changing} onSubmit={changing.mutate}>
        <form.Field name="email" label={t('account.newEmail')} required>
          <Input {...INITIAL_FOCUS} type="email" autoComplete="email" inputMode="email" />
        </form.Field>
        <SubmissionError />
        <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">
          <Button variant="secondary" disabled={changing.isPending} onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <SubmitButton>{t('account.sendLinks')}</SubmitButton>
        </div>
      </Form>
    </Dialog>
  )
}
