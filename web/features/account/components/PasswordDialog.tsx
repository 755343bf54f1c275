// Another password: the present one is asked for, and a code by e-mail where the service wants one, as from people
// who have none.
import { isAuthError } from '@supabase/supabase-js'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TextKey } from '../../../i18n/index.ts'
import { errorText } from '../../../lib/errorText.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { INITIAL_FOCUS } from '../../../ui/returnFocus.ts'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { changePassword, sendPasswordCode } from '../api/actions.ts'
import { type NewPassword, newPasswordSchema } from '../schema.ts'

/** Errors of the service, with the field that each concerns. */
const refusals: Record<string, [field: keyof NewPassword, text: TextKey]> = {
  current_password_invalid: ['currentPassword', 'account.wrongPassword'],
  current_password_required: ['currentPassword', 'auth.passwordRequired'],
  same_password: ['password', 'account.samePassword'],
  reauthentication_not_valid: ['code', 'account.wrongCode'],
}

export function PasswordDialog({
  userId,
  email,
  hasPassword,
  onClose,
  onChanged,
}: {
  userId: string
  email: string
  hasPassword: boolean
  onClose: () => void
  /** Another password took the place of the present one. */
  onChanged: () => void
}) {
  const { t } = useTranslation()
  const [codeNeeded, setCodeNeeded] = useState(false)
  const form = useZodForm(newPasswordSchema(hasPassword), {
    defaultValues: { currentPassword: '', password: '', code: '' },
  })
  const fail = (error: Error) => toast.error(t('ui.errorTitle'), { description: errorText(error) })
  const sending = useAction(sendPasswordCode, { onSuccess: () => setCodeNeeded(true), onError: fail })
  const changing = useAction(changePassword(userId), {
    onSuccess: () => {
      toast.success(t(hasPassword ? 'account.passwordChanged' : 'account.passwordSet'), {
        description: t('account.passwordChangedBody'),
      })
      onClose()
      if (hasPassword) onChanged()
    },
    onError: (error) => {
      const code = isAuthError(error) ? (error.code ?? '') : ''
      const refusal = refusals[code]
      if (code === 'reauthentication_needed') sending.mutate()
      else if (code === 'weak_password') form.setError('password', { message: errorText(error) })
      else if (refusal) form.setError(refusal[0], { message: refusal[1] }, { shouldFocus: true })
      else fail(error)
    },
  })
  const submit = t(hasPassword ? 'account.changePassword' : 'account.setPassword')
  const busy = changing.isPending || sending.isPending
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !busy && onClose()}
      title={submit}
      description={hasPassword ? t('account.changePasswordBody') : t('account.setPasswordBody', { email })}
      size="sm"
    >
      <Form form={form} submission={changing} onSubmit={changing.mutate}>
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        {hasPassword && (
          <form.Field name="currentPassword" label={t('account.currentPassword')} required>
            <PasswordInput {...INITIAL_FOCUS} autoComplete="current-password" />
          </form.Field>
        )}
        <form.Field name="password" label={t('auth.newPassword')} hint={t('account.passwordRule')} required>
          <PasswordInput {...(hasPassword ? {} : INITIAL_FOCUS)} autoComplete="new-password" />
        </form.Field>
        {codeNeeded && (
          <form.Field
            name="code"
            label={t('account.code')}
            hint={
              hasPassword ? t('account.codeHint', { email }) : t('account.deleteCodeSent', { address: email })
            }
            required
          >
            <Input inputMode="numeric" autoComplete="one-time-code" />
          </form.Field>
        )}
        <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">
          <Button variant="secondary" disabled={busy} onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <SubmitButton loading={busy}>{submit}</SubmitButton>
        </div>
      </Form>
    </Dialog>
  )
}
