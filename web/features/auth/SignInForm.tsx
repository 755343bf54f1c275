// Signing in with e-mail and password; an unconfirmed address gets its e-mail sent again from here.
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Button } from '../../ui/Button.tsx'
import { FieldError, Problem } from '../../ui/form/Field.tsx'
import { Form, SubmitButton } from '../../ui/form/Form.tsx'
import { useZodForm } from '../../ui/form/useZodForm.ts'
import { Input } from '../../ui/Input.tsx'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { useAction } from '../../ui/useAction.ts'
import { resendConfirmation, signIn } from './api/actions.ts'
import { isUnconfirmed, otherMessage, signInMessage } from './errors.ts'
import { signInSchema } from './schema.ts'

export function SignInForm({ email = '', forgotPath }: { email?: string; forgotPath: string }) {
  const { t } = useTranslation()
  const problem = useId()
  const form = useZodForm(signInSchema, { defaultValues: { email, password: '' } })
  const signingIn = useAction(signIn, {
    onSuccess: () => toast.success(t('auth.welcomeBack'), { description: t('auth.redirecting') }),
    onError: (error) => {
      toast.error(t('auth.signInFailed'), { description: signInMessage(error, t) })
      form.setFocus('password', { shouldSelect: true })
    },
  })
  const refused = signingIn.error !== null

  return (
    <Form form={form} submission={signingIn} onSubmit={signingIn.mutate}>
      <form.Field name="email" label={t('auth.email')} required>
        <Input type="email" autoComplete="email" inputMode="email" />
      </form.Field>
      <div className="flex flex-col gap-2">
        <form.Field
          name="password"
          label={t('auth.password')}
          refusal={refused ? problem : undefined}
          required
        >
          <PasswordInput autoComplete="current-password" />
        </form.Field>
        <Link to={forgotPath} className="self-start py-1 text-sm font-medium text-sky hover:underline">
          {t('auth.forgotPassword')}
        </Link>
      </div>
      <div>
        {refused && <Problem id={problem}>{signInMessage(signingIn.error, t)}</Problem>}
        <SubmitButton size="lg" className="w-full">
          {t('auth.signIn')}
        </SubmitButton>
      </div>
      {isUnconfirmed(signingIn.error) && signingIn.variables && (
        <Unconfirmed email={signingIn.variables.email} />
      )}
    </Form>
  )
}

function Unconfirmed({ email }: { email: string }) {
  const { t } = useTranslation()
  const resending = useAction(resendConfirmation)
  return (
    <div className="flex flex-col items-start gap-3 rounded-md bg-sky-soft p-4">
      <p role="status">{resending.isSuccess ? t('auth.resentBody', { email }) : t('auth.unconfirmed')}</p>
      {resending.error && <FieldError>{otherMessage(resending.error, t)}</FieldError>}
      <Button variant="link" loading={resending.isPending} onClick={() => resending.mutate(email)}>
        {t('auth.resend')}
      </Button>
    </div>
  )
}
