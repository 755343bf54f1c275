// Adding a security key as a second factor: a name for it, and then the browser asks for the key itself.
import { isAuthError } from '@supabase/supabase-js'
import { useTranslation } from 'react-i18next'
import { isAbandoned, passkeyFailureText } from '../../../lib/queries/passkeys.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { addSecurityKey } from '../api/factors.ts'
import { factorNameSchema } from '../schema.ts'

export function SecurityKeyDialog({
  userId,
  taken,
  onClose,
  onProved,
}: {
  userId: string
  /** The names that others have. */
  taken: string[]
  onClose: () => void
  onProved: () => void
}) {
  const { t } = useTranslation()
  const name = t('account.securityKey')
  const form = useZodForm(factorNameSchema, { defaultValues: { name: taken.includes(name) ? '' : name } })
  const adding = useAction(addSecurityKey(userId), {
    onSuccess: () => {
      toast.success(t('account.turnedOn'), { description: t('account.turnedOnBody') })
      onProved()
    },
    onError: (error) => {
      if (isAuthError(error) && error.code === 'mfa_factor_name_conflict')
        form.setError('name', { message: 'account.factorNameTaken' }, { shouldFocus: true })
      else if (!isAbandoned(error))
        toast.error(t('ui.errorTitle'), { description: passkeyFailureText(error, t) })
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !adding.isPending && onClose()}
      title={t('account.securityKeyAdd')}
      description={t('account.securityKeyBody')}
      size="sm"
    >
      <Form form={form} submission={adding} onSubmit={adding.mutate}>
        <form.Field name="name" label={t('account.factorName')} hint={t('account.factorNameHint')} required>
          <Input autoComplete="off" />
        </form.Field>
        <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">
          <Button variant="secondary" disabled={adding.isPending} onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <SubmitButton>{t('account.continue')}</SubmitButton>
        </div>
      </Form>
    </Dialog>
  )
}
