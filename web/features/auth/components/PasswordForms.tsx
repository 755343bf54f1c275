// A forgotten password: requesting the link, and choosing a new one once the link was opened.
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { FreshSignInPrompt } from '../../../ui/FreshSignInPrompt.tsx'
import { Problem } from '../../../ui/form/Field.tsx'
import { Form, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { sendPasswordLink, setPassword } from '../api/actions.ts'
import { otherMessage } from '../errors.ts'
import { forgotPasswordSchema, newPasswordSchema } from '../schema.ts'
import { EmailCode } from './EmailCode.tsx'

type ForgotPasswordProps = {
  signInPath: string
  /** The code of the e-mail was right: a new password can be chosen. */
  onConfirmed: () => void
}

export function ForgotPasswordForm({ signInPath, onConfirmed }: ForgotPasswordProps) {
  const { t } = useTranslation()
  const form = useZodForm(forgotPasswordSchema, { defaultValues: { email: '' } })
  const sending = useAction(sendPasswordLink)

  return (
    <div className="flex flex-col gap-5">
      <h2 className="text-2xl">{t(sending.isSuccess ? 'auth.forgotSent' : 'auth.forgotTitle')}</h2>
      {sending.isSuccess ? (
        <>
          <p role="status">{t('auth.forgotSentBody', { email: sending.variables.email })}</p>
          <EmailCode email={sending.variables.email} type="recovery" onConfirmed={onConfirmed} />
        </>
      ) : (
        <Form form={form} submission={sending} onSubmit={sending.mutate}>
          <p className="text-ink-soft">{t('auth.forgotBody')}</p>
          <form.Field name="email" label={t('auth.email')} required>
            <Input type="email" autoComplete="email" inputMode="email" />
          </form.Field>
          <Refusable error={sending.error}>
            <SubmitButton size="lg" className="w-full">
              {t('auth.forgotSend')}
            </SubmitButton>
          </Refusable>
        </Form>
      )}
      <Link to={signInPath} className="self-start py-1 font-medium text-sky hover:underline">
        {t('auth.backToSignIn')}
      </Link>
    </div>
  )
}

/** Needs the session that the link in the e-mail opened. */
export function NewPasswordForm({ onSaved }: { onSaved: () => void }) {
  const { t } = useTranslation()
  const form = useZodForm(newPasswordSchema, { defaultValues: { password: '' } })
  const saving = useAction(setPassword, {
    onSuccess: () => {
      toast.success(t('auth.newPasswordSaved'), { description: t('auth.newPasswordSavedBody') })
      onSaved()
    },
  })

  return (
    <>
      <Form form={form} submission={saving} onSubmit={saving.mutate}>
        <h2 className="text-2xl">{t('auth.newPasswordTitle')}</h2>
        <form.Field name="password" label={t('auth.newPassword')} hint={t('auth.passwordHint')} required>
          <PasswordInput autoComplete="new-password" />
        </form.Field>
        <Refusable error={saving.error}>
          <SubmitButton size="lg" className="w-full">
            {t('auth.newPasswordSave')}
          </SubmitButton>
        </Refusable>
      </Form>
      <FreshSignInPrompt />
    </>
  )
}

/** A button with why its last try was refused directly above it. */
function Refusable({ error, children }: { error: Error | null; children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <div>
      {error && <Problem>{otherMessage(error, t)}</Problem>}
      {children}
    </div>
  )
}
