// Explains a link that no longer works, by its purpose.
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '../../../lib/paths.ts'
import { useSession } from '../../../lib/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import type { LinkType } from '../api/actions.ts'

/** `target` is where the link would have led. */
export function SpentLink({ type, target }: { type: LinkType; target: string }) {
  const { t } = useTranslation()
  const { status, user } = useSession()
  const signedIn = status === 'signedIn'
  const settled = signedIn && type !== 'email_change'
  return (
    <>
      <p role="alert">{t('confirmLink.spent')}</p>
      <p className="wrap-anywhere">
        {settled ? t('confirmLink.signedIn', { email: user.email }) : t(`confirmLink.${type}.spent`)}
      </p>
      <div className="flex flex-wrap gap-3">
        {signedIn ? (
          <Action to={target}>{t('confirmLink.continue')}</Action>
        ) : (
          <Action to={paths.auth}>{t('auth.signIn')}</Action>
        )}
        {/* A new confirmation could be that of a stranger's later sign-up; this link removes every password but the new one. */}
        {type !== 'email_change' && (
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
