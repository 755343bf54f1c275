// Making an account: name, e-mail, optional phone, password and what one is here for.
import { HandHelping, Megaphone } from 'lucide-react'
import { useId } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '../../../lib/paths.ts'
import { Problem } from '../../../ui/form/Field.tsx'
import { Form, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { PhoneInput } from '../../../ui/PhoneInput.tsx'
import { RadioCards } from '../../../ui/RadioCards.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { signUp } from '../api/actions.ts'
import { emailedBefore } from '../confirmation.ts'
import { isAboutName, isRegistered, signUpMessage } from '../errors.ts'
import { type SignUp, signUpSchema } from '../schema.ts'

const blank: SignUp = { fullName: '', email: '', phone: '', password: '', role: 'task_doer' }
const SECRET = ['password'] as const

/**
 * Calls `onCreated` with what was typed once the account exists and waits for its confirmation; `onTooEarly` where the
 * address was mailed a moment ago, whose link this sign-up has ended.
 */
export function SignUpForm({
  role,
  confirmed,
  onCreated,
  onTooEarly,
}: {
  role?: SignUp['role']
  /** The path where the link of the confirmation e-mail leads. */
  confirmed: string
  onCreated: (made: SignUp) => void
  onTooEarly: (email: string) => void
}) {
  const { t } = useTranslation()
  const problem = useId()
  const form = useZodForm(signUpSchema, {
    defaultValues: blank,
    overrides: role && { role },
    draft: 'sign-up',
    secret: SECRET,
  })
  const signingUp = useAction(signUp, {
    onSuccess: (_, made) => {
      form.dropDraft()
      toast.success(t('auth.accountCreated'), { description: t('auth.accountCreatedBody') })
      onCreated(made)
    },
    onError: (error, { email }) => {
      if (emailedBefore(error) !== null) onTooEarly(email)
      toast.error(t('auth.signUpFailed'), { description: signUpMessage(error, t) })
      if (isRegistered(error)) form.setFocus('email', { shouldSelect: true })
      if (isAboutName(error))
        form.setError('fullName', { message: signUpMessage(error, t) }, { shouldFocus: true })
    },
  })

  return (
    <Form
      form={form}
      submission={signingUp}
      onSubmit={(values) => signingUp.mutate({ ...values, confirmed })}
    >
      <RadioCards
        legend={t('auth.roleLegend')}
        options={[
          { value: 'task_doer', title: t('auth.roleDoer'), hint: t('auth.roleDoerHint'), icon: HandHelping },
          { value: 'task_giver', title: t('auth.roleGiver'), hint: t('auth.roleGiverHint'), icon: Megaphone },
        ]}
        {...form.register('role')}
      />
      <form.Field name="fullName" label={t('auth.fullName')} required>
        <Input autoComplete="name" />
      </form.Field>
      <form.Field
        name="email"
        label={t('auth.email')}
        refusal={isRegistered(signingUp.error) ? problem : undefined}
        required
      >
        <Input type="email" autoComplete="email" inputMode="email" />
      </form.Field>
      <form.Field name="phone" checkOnLeave label={t('auth.phone')} hint={t('auth.phoneHint')} optional>
        <PhoneInput />
      </form.Field>
      <form.Field name="password" label={t('auth.password')} hint={t('auth.passwordHint')} required>
        <PasswordInput autoComplete="new-password" />
      </form.Field>
      <div>
        {signingUp.error && !isAboutName(signingUp.error) && (
          <Problem id={problem}>{signUpMessage(signingUp.error, t)}</Problem>
        )}
        <SubmitButton size="lg" className="w-full">
          {t('auth.signUp')}
        </SubmitButton>
      </div>
      <Consent />
    </Form>
  )
}

function Consent() {
  return (
    <p className="text-sm text-ink-soft">
      <Trans
        i18nKey="auth.consent"
        components={{
          terms: <Link to={paths.terms} className="text-sky underline" />,
          privacy: <Link to={paths.privacy} className="text-sky underline" />,
        }}
      />
    </p>
  )
}
