// Signing in with e-mail and password.
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Problem } from '../../../ui/form/Field.tsx'
import { Form, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { signIn } from '../api/actions.ts'
import { isUnconfirmed, signInMessage } from '../errors.ts'
import { signInSchema } from '../schema.ts'
import { useGreeting } from './useGreeting.ts'

type SignInFormProps = {
  email?: string | undefined
  forgotPath: string
  /** The account with this address still waits for its confirmation. */
  onUnconfirmed: (email: string) => void
}

export function SignInForm({ email = '', forgotPath, onUnconfirmed }: SignInFormProps) {
  const { t } = useTranslation()
  const greet = useGreeting()
  const problem = useId()
  const form = useZodForm(signInSchema, { defaultValues: { email, password: '' } })
  const signingIn = useAction(signIn, {
    onSuccess: (secondStep) => {
      if (!secondStep) greet()
    },
    onError: (error, { email }) => {
      // In the place of an earlier one.
      toast.error(t('auth.signInFailed'), { description: signInMessage(error, t), id: 'sign-in' })
      form.setFocus('password', { shouldSelect: true })
      if (isUnconfirmed(error)) onUnconfirmed(email)
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
    </Form>
  )
}
