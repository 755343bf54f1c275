// A forgotten password: asking for the link, and choosing a new one once the link was opened.
import { useMutation } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Button } from '../../ui/Button.tsx'
import { firstFailure, useErrorText } from '../../ui/form/errors.ts'
import { Field } from '../../ui/form/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { sendPasswordLink, setPassword } from './api/actions.ts'
import { otherMessage } from './errors.ts'
import { forgotPasswordSchema, newPasswordSchema } from './schema.ts'

export function ForgotPasswordForm({ signInPath }: { signInPath: string }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const form = useForm({ resolver: firstFailure(forgotPasswordSchema), defaultValues: { email: '' } })
  const sending = useMutation({
    mutationFn: sendPasswordLink,
    onError: (error) => toast.error(t('ui.errorTitle'), { description: otherMessage(error, t) }),
  })

  return (
    <div className="flex flex-col gap-5">
      <h2 className="text-2xl">{t(sending.isSuccess ? 'auth.forgotSent' : 'auth.forgotTitle')}</h2>
      {sending.isSuccess ? (
        <p role="status">{t('auth.forgotSentBody', { email: sending.variables })}</p>
      ) : (
        <form
          noValidate
          className="flex flex-col gap-5"
          onSubmit={form.handleSubmit(({ email }) => sending.mutate(email))}
        >
          <p className="text-ink-soft">{t('auth.forgotBody')}</p>
          <Field label={t('auth.email')} error={errorText(form.formState.errors.email)} required>
            <Input type="email" autoComplete="email" inputMode="email" {...form.register('email')} />
          </Field>
          <Button type="submit" size="lg" loading={sending.isPending}>
            {t('auth.forgotSend')}
          </Button>
        </form>
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
  const errorText = useErrorText()
  const form = useForm({ resolver: firstFailure(newPasswordSchema), defaultValues: { password: '' } })
  const saving = useMutation({
    mutationFn: setPassword,
    onSuccess: () => {
      toast.success(t('auth.newPasswordSaved'), { description: t('auth.newPasswordSavedBody') })
      onSaved()
    },
    onError: (error) => toast.error(t('ui.errorTitle'), { description: otherMessage(error, t) }),
  })

  return (
    <form
      noValidate
      className="flex flex-col gap-5"
      onSubmit={form.handleSubmit(({ password }) => saving.mutate(password))}
    >
      <h2 className="text-2xl">{t('auth.newPasswordTitle')}</h2>
      <Field
        label={t('auth.newPassword')}
        hint={t('auth.passwordHint')}
        error={errorText(form.formState.errors.password)}
        required
      >
        <PasswordInput autoComplete="new-password" {...form.register('password')} />
      </Field>
      <Button type="submit" size="lg" loading={saving.isPending}>
        {t('auth.newPasswordSave')}
      </Button>
    </form>
  )
}
