// Waits for the e-mail that confirms a sign-up. Stays through a reload, until the person is signed in.
import { MailCheck } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { RESEND_AFTER_SECONDS } from '../../../../shared/limits.ts'
import { type Confirmation, keepConfirmation } from '../../../lib/taskBeforeSignUp.ts'
import { Button } from '../../../ui/Button.tsx'
import { FieldError } from '../../../ui/form/Field.tsx'
import { Summary } from '../../../ui/Summary.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { resendConfirmation } from '../api/actions.ts'
import { secondsUntilRetry } from '../confirmation.ts'
import { isRegistered, otherMessage, signUpMessage } from '../errors.ts'
import type { SignUp } from '../schema.ts'
import { EmailCode } from './EmailCode.tsx'

type CheckEmailProps = {
  confirmation: Confirmation
  /** The sign-up data; null if they are no longer known. */
  made: SignUp | null
  /** The path where the e-mail's link leads. */
  confirmed: string
  /** The title of the task that waits for the account. */
  task: string | null
  onChange: (confirmation: Confirmation) => void
  /** The address is wrong: back to the form. */
  onCorrect: () => void
}

export function CheckEmail({ confirmation, made, confirmed, task, onChange, onCorrect }: CheckEmailProps) {
  const { t } = useTranslation()
  const { email, againAt } = confirmation
  const seconds = useSecondsUntil(againAt)
  const wait = (after: number) => {
    const next = { ...confirmation, againAt: Date.now() + after * 1000 }
    keepConfirmation(next)
    onChange(next)
  }
  const resending = useAction(resendConfirmation, {
    onSuccess: () => wait(RESEND_AFTER_SECONDS),
    onError: (error) => {
      const after = secondsUntilRetry(error)
      if (after) wait(after)
    },
  })
  return (
    <section aria-labelledby="check-email" className="mb-6 flex gap-4 rounded-md bg-sky-soft p-4">
      <MailCheck aria-hidden className="mt-0.5 size-6 shrink-0 text-sky" />
      <div className="min-w-0 flex-1">
        <h2 id="check-email" className="text-xl">
          {t('auth.checkEmail')}
        </h2>
        <p className="mt-1 wrap-anywhere">
          <Trans i18nKey="auth.checkEmailBody" values={{ email }} components={{ email: <strong /> }} />{' '}
          {task && <span>{t('auth.checkEmailTask', { title: task })}</span>}
        </p>
        <p role="status" className="mt-2 text-sm text-ink-soft">
          {resending.isSuccess ? t('auth.resentBody', { email }) : t('auth.checkEmailSpam')}
        </p>
        {resending.error && (
          <FieldError>
            {isRegistered(resending.error)
              ? signUpMessage(resending.error, t)
              : otherMessage(resending.error, t)}
          </FieldError>
        )}
        <div className="mt-3 flex flex-wrap items-center gap-x-5 gap-y-2">
          <Button
            size="sm"
            variant="secondary"
            className="tabular"
            disabled={seconds > 0}
            loading={resending.isPending}
            onClick={() => resending.mutate({ email, made, confirmed })}
          >
            {seconds > 0 ? t('auth.sendAgainIn', { seconds }) : t('auth.sendAgain')}
          </Button>
          <Button variant="link" className="text-sm" onClick={onCorrect}>
            {t('auth.correctEmail')}
          </Button>
        </div>
        <details className="group mt-2">
          <Summary className="py-1 text-sm font-medium text-sky hover:underline">
            {t('auth.confirmCodeOpen')}
          </Summary>
          <EmailCode email={email} type="signup" />
        </details>
      </div>
    </section>
  )
}

/** Whole seconds until then, by the clock: 0 once it is over. */
function useSecondsUntil(then: number): number {
  const left = () => Math.max(0, Math.ceil((then - Date.now()) / 1000))
  const [seconds, setSeconds] = useState(left)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `left` is of this render's `then`
  useEffect(() => {
    setSeconds(left())
    const timer = setInterval(() => setSeconds(left()), 1000)
    return () => clearInterval(timer)
  }, [then])
  return seconds
}
