// For somebody who is asked for a second step that they did not set up. A reset by e-mail removes it, as long as the
// service calls the factor provisional (docs/security.md, "Second factors that somebody else added").
import { type Factor, isAuthError, type User } from '@supabase/supabase-js'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { paths } from '../../../lib/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Problem } from '../../../ui/form/Field.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { removeUnknownFactors, sendPasswordLink } from '../api/actions.ts'
import { otherMessage } from '../errors.ts'

/** Whether a reset by e-mail may remove the account's second factors. */
export const canBeUnknown = ({ email }: User, verified: Factor[]): boolean =>
  Boolean(email) && verified.length > 0 && verified.every((factor) => 'provisional_until' in factor)

export function UnknownFactor({ email, factors }: { email: string; factors: Factor[] }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const removing = useAction(removeUnknownFactors, {
    onSuccess: () => toast.success(t('auth.recovered'), { description: t('auth.notMineRemoved') }),
  })
  const { error } = removing
  if (isAuthError(error) && error.code === 'insufficient_aal') return <ByEmail email={email} />
  return (
    <div className="flex flex-col gap-5">
      <p className="text-ink-soft">{t('auth.notMineBody')}</p>
      <div>
        {error && <Problem>{otherMessage(error, t)}</Problem>}
        <Button
          variant="danger"
          size="lg"
          className="w-full"
          loading={removing.isPending}
          onClick={() =>
            removing.mutate({
              factorIds: factors.map(({ id }) => id),
              onRemoved: () => navigate(`${paths.auth}?view=new-password`, { replace: true }),
            })
          }
        >
          {t('auth.notMineRemove')}
        </Button>
      </div>
    </div>
  )
}

/** For a session that no reset began, or one that did too long ago. */
function ByEmail({ email }: { email: string }) {
  const { t } = useTranslation()
  const sending = useAction(sendPasswordLink)
  if (sending.isSuccess) return <p role="status">{t('auth.forgotSentBody', { email })}</p>
  return (
    <div className="flex flex-col gap-5">
      <p role="status" className="text-ink-soft wrap-anywhere">
        {t('auth.notMineByEmail', { email })}
      </p>
      <div>
        {sending.error && <Problem>{otherMessage(sending.error, t)}</Problem>}
        <Button
          size="lg"
          className="w-full"
          loading={sending.isPending}
          onClick={() => sending.mutate({ email })}
        >
          {t('auth.forgotSend')}
        </Button>
      </div>
    </div>
  )
}
