// What to do about a link that no longer works, by what it was for.
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '../../../lib/paths.ts'
import { useSession } from '../../../lib/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Problem } from '../../../ui/form/Field.tsx'
import { Form, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { type LinkType, resendConfirmation } from '../api/actions.ts'
import { otherMessage } from '../errors.ts'
import { forgotPasswordSchema } from '../schema.ts'

/** `target` is where the link would have led. */
export function SpentLink({ type, target }: { type: LinkType; target: string }) {
  const { t } = useTranslation()
  const { status, user } = useSession()
  const signedIn = status === 'signedIn'
  return (
    <>
      <p role="alert">{t('confirmLink.spent')}</p>
      {signedIn && type !== 'email_change' ? (
        <p>{t('confirmLink.signedIn', { email: user.email })}</p>
      ) : (
        <p>{t(`confirmLink.${type}.spent`)}</p>
      )}
      {!signedIn && type === 'signup' && <NewLinkForm />}
      <div className="flex flex-wrap gap-3">
        {signedIn ? (
          <Action to={target}>{t('confirmLink.continue')}</Action>
        ) : (
          <Action to={paths.auth}>{t('auth.signIn')}</Action>
        )}
        {type !== 'signup' && type !== 'email_change' && (
          <Action to={`${paths.auth}?view=forgot-password`}>{t('confirmLink.recovery.button')}</Action>
        )}
      </div>
    </>
  )
}

function Action({ to, children }: { to: string; children: string }) {
  return (
    <Button asChild variant="secondary">
      <Link to={to}>{children}</Link>
    </Button>
  )
}

function NewLinkForm() {
  const { t } = useTranslation()
  const form = useZodForm(forgotPasswordSchema, { defaultValues: { email: '' } })
  const sending = useAction(resendConfirmation)
  if (sending.isSuccess)
    return <p role="status">{t('confirmLink.newLinkSent', { email: sending.variables })}</p>
  return (
    <Form
      form={form}
      submission={sending}
      className="flex w-full flex-col gap-4"
      onSubmit={({ email }) => sending.mutate(email)}
    >
      <form.Field name="email" label={t('auth.email')} required>
        <Input type="email" autoComplete="email" inputMode="email" />
      </form.Field>
      <div>
        {sending.error && <Problem>{otherMessage(sending.error, t)}</Problem>}
        <SubmitButton>{t('confirmLink.newLink')}</SubmitButton>
      </div>
    </Form>
  )
}
