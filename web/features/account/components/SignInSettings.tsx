// How one signs in: the address, with a change that waits to be confirmed, and the password.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { errorText } from '../../../lib/errorText.ts'
import { Button } from '../../../ui/Button.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { resendEmailChange } from '../api/actions.ts'
import { accountQuery } from '../api/queries.ts'
import { EmailDialog } from './EmailDialog.tsx'
import { PasswordDialog } from './PasswordDialog.tsx'
import { Setting, SettingGroup } from './Setting.tsx'

type Props = { userId: string; onOthersSignedOut: () => void }

export function SignInSettings({ userId, onOthersSignedOut }: Props) {
  const { t } = useTranslation()
  const account = useQuery(accountQuery(userId))
  const [dialog, setDialog] = useState<'email' | 'password' | null>(null)
  useHalfConfirmed()
  const close = () => setDialog(null)

  return (
    <SettingGroup title={t('account.signIn')}>
      {account.isLoadingError ? (
        <ErrorState onRetry={() => account.refetch()} />
      ) : !account.data ? (
        <Skeleton className="h-28 w-full" />
      ) : (
        <>
          <Setting
            name={t('account.email')}
            value={account.data.email}
            action={
              <Button
                variant="secondary"
                size="sm"
                aria-label={t('account.changeEmail')}
                onClick={() => setDialog('email')}
              >
                {t('account.change')}
              </Button>
            }
          >
            {account.data.newEmail && (
              <PendingEmail email={account.data.email} newEmail={account.data.newEmail} />
            )}
          </Setting>
          <Setting
            name={t('account.password')}
            value={account.data.hasPassword ? <span aria-hidden>••••••••</span> : t('account.passwordNone')}
            action={
              <Button
                variant="secondary"
                size="sm"
                aria-label={account.data.hasPassword ? t('account.changePassword') : undefined}
                onClick={() => setDialog('password')}
              >
                {t(account.data.hasPassword ? 'account.change' : 'account.setPassword')}
              </Button>
            }
          />
          {dialog === 'email' && <EmailDialog userId={userId} present={account.data.email} onClose={close} />}
          {dialog === 'password' && (
            <PasswordDialog userId={userId} {...account.data} onClose={close} onChanged={onOthersSignedOut} />
          )}
        </>
      )}
    </SettingGroup>
  )
}

function PendingEmail({ email, newEmail }: { email: string; newEmail: string }) {
  const { t } = useTranslation()
  const resending = useAction(resendEmailChange, {
    onSuccess: () => toast.success(t('account.emailsSent')),
    onError: (error) => toast.error(t('ui.errorTitle'), { description: errorText(error) }),
  })
  return (
    <div
      role="status"
      className="flex flex-col items-start gap-3 rounded-md bg-wheat-soft p-4 text-wheat-ink"
    >
      <p className="wrap-anywhere">{t('account.emailPending', { email, newEmail })}</p>
      <Button
        variant="secondary"
        size="sm"
        loading={resending.isPending}
        onClick={() => resending.mutate(email)}
      >
        {t('account.resendEmails')}
      </Button>
    </div>
  )
}

/** The first of the two links of a change of address leads back here with the service's word for it behind the #. */
function useHalfConfirmed() {
  const { t } = useTranslation()
  const { hash, pathname, search } = useLocation()
  const navigate = useNavigate()
  const half = new URLSearchParams(hash.slice(1)).has('message')
  useEffect(() => {
    if (!half) return
    toast.info(t('account.halfConfirmed'), { id: 'half-confirmed' })
    navigate(pathname + search, { replace: true, preventScrollReset: true })
  }, [half, navigate, pathname, search, t])
}
