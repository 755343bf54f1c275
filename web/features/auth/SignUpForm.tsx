// Making an account: name, e-mail, optional phone, password and what one is here for.
import { useMutation } from '@tanstack/react-query'
import { HandHelping, Megaphone } from 'lucide-react'
import { useForm } from 'react-hook-form'
import { Trans, useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { dropDraft, readDraft, useKeptDraft } from '../../ui/form/drafts.ts'
import { firstFailure, useErrorText } from '../../ui/form/errors.ts'
import { Field } from '../../ui/form/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { RadioCards } from '../../ui/RadioCards.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { signUp } from './api/actions.ts'
import { signUpMessage } from './errors.ts'
import { type SignUp, signUpSchema } from './schema.ts'

const draftName = 'sign-up'
const blank: SignUp = { fullName: '', email: '', phone: '', password: '', role: 'task_doer' }

/** Calls `onCreated` with the address once the account exists and waits for its confirmation. */
export function SignUpForm({
  role,
  onCreated,
}: {
  role?: SignUp['role']
  onCreated: (email: string) => void
}) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const form = useForm({
    resolver: firstFailure(signUpSchema),
    defaultValues: { ...blank, ...readDraft<SignUp>(draftName), ...(role ? { role } : {}) },
  })
  useKeptDraft(draftName, form, 'password')
  const { errors } = form.formState

  const creating = useMutation({
    mutationFn: signUp,
    onSuccess: (_, { email }) => {
      dropDraft(draftName)
      toast.success(t('auth.accountCreated'), { description: t('auth.accountCreatedBody') })
      onCreated(email)
    },
    onError: (error) => toast.error(t('auth.signUpFailed'), { description: signUpMessage(error, t) }),
  })

  return (
    <form
      noValidate
      className="flex flex-col gap-5"
      onSubmit={form.handleSubmit((values) => creating.mutate(values))}
    >
      <RadioCards
        legend={t('auth.roleLegend')}
        options={[
          { value: 'task_doer', title: t('auth.roleDoer'), hint: t('auth.roleDoerHint'), icon: HandHelping },
          { value: 'task_giver', title: t('auth.roleGiver'), hint: t('auth.roleGiverHint'), icon: Megaphone },
        ]}
        {...form.register('role')}
      />
      <Field label={t('auth.fullName')} error={errorText(errors.fullName)} required>
        <Input autoComplete="name" {...form.register('fullName')} />
      </Field>
      <Field label={t('auth.email')} error={errorText(errors.email)} required>
        <Input type="email" autoComplete="email" inputMode="email" {...form.register('email')} />
      </Field>
      <Field label={t('auth.phone')} hint={t('auth.phoneHint')} error={errorText(errors.phone)} optional>
        <Input type="tel" autoComplete="tel" {...form.register('phone')} />
      </Field>
      <Field
        label={t('auth.password')}
        hint={t('auth.passwordHint')}
        error={errorText(errors.password)}
        required
      >
        <PasswordInput autoComplete="new-password" {...form.register('password')} />
      </Field>
      <Button type="submit" size="lg" loading={creating.isPending}>
        {t('auth.signUp')}
      </Button>
      <p className="text-sm text-ink-soft">
        <Trans
          i18nKey="auth.consent"
          components={{
            terms: <Link to={paths.terms} className="text-sky underline" />,
            privacy: <Link to={paths.privacy} className="text-sky underline" />,
          }}
        />
      </p>
    </form>
  )
}
