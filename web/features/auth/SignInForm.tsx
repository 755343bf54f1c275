// Signing in with e-mail and password; an unconfirmed address gets its e-mail sent again from here.
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
import { resendConfirmation, signIn } from './api/actions.ts'
import { isUnconfirmed, otherMessage, signInMessage } from './errors.ts'
import { signInSchema } from './schema.ts'

export function SignInForm({ email = '', forgotPath }: { email?: string; forgotPath: string }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const form = useForm({ resolver: firstFailure(signInSchema), defaultValues: { email, password: '' } })
  const { errors } = form.formState

  const entering = useMutation({
    mutationFn: signIn,
    onSuccess: () => toast.success(t('auth.welcomeBack'), { description: t('auth.redirecting') }),
    onError: (error) => toast.error(t('auth.signInFailed'), { description: signInMessage(error, t) }),
  })

  return (
    <form
      noValidate
      className="flex flex-col gap-5"
      onSubmit={form.handleSubmit((values) => entering.mutate(values))}
    >
      <Field label={t('auth.email')} error={errorText(errors.email)} required>
        <Input type="email" autoComplete="email" inputMode="email" {...form.register('email')} />
      </Field>
      <div className="flex flex-col gap-2">
        <Field label={t('auth.password')} error={errorText(errors.password)} required>
          <PasswordInput autoComplete="current-password" {...form.register('password')} />
        </Field>
        <Link to={forgotPath} className="self-start py-1 text-sm font-medium text-sky hover:underline">
          {t('auth.forgotPassword')}
        </Link>
      </div>
      <Button type="submit" size="lg" loading={entering.isPending}>
        {t('auth.signIn')}
      </Button>
      {isUnconfirmed(entering.error) && entering.variables && (
        <Unconfirmed email={entering.variables.email} />
      )}
    </form>
  )
}

function Unconfirmed({ email }: { email: string }) {
  const { t } = useTranslation()
  const resending = useMutation({
    mutationFn: () => resendConfirmation(email),
    onSuccess: () => toast.success(t('auth.resent'), { description: t('auth.resentBody', { email }) }),
    onError: (error) => toast.error(t('ui.errorTitle'), { description: otherMessage(error, t) }),
  })
  return (
    <div className="flex flex-col items-start gap-3 rounded-md bg-sky-soft p-4">
      <p>{t('auth.unconfirmed')}</p>
      <Button variant="link" loading={resending.isPending} onClick={() => resending.mutate()}>
        {t('auth.resend')}
      </Button>
    </div>
  )
}
