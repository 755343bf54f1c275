// Connected accounts in the Security tab: the services by whose word one signs in. Hidden where the auth service has none.
import type { UserIdentity } from '@supabase/supabase-js'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '../../../lib/errorText.ts'
import { providerFailureText, providerName, providersQuery } from '../../../lib/providers.ts'
import { redirectFailureQuery } from '../../../lib/queries/redirectFailure.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Button } from '../../../ui/Button.tsx'
import { ProviderMark } from '../../../ui/ProviderMark.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { connectProvider, disconnectProvider, identitiesQuery } from '../api/identities.ts'
import { Setting, SettingGroup } from './Setting.tsx'

export function ConnectedAccounts({ userId }: { userId: string }) {
  const { t } = useTranslation()
  const { data: offered = [] } = useQuery(providersQuery)
  const query = useQuery(identitiesQuery(userId))
  const [leaving, setLeaving] = useState<UserIdentity | null>(null)
  const connecting = useAction(connectProvider, { onError: t('ui.errorTitle') })
  useRefusedConnection()

  const identities = query.data ?? []
  const connected = identities.filter(({ provider }) => !['email', 'phone'].includes(provider))
  const open = offered.filter((id) => !connected.some(({ provider }) => provider === id))
  if (offered.length === 0 && connected.length === 0) return null
  const last = identities.length <= 1

  return (
    <SettingGroup title={t('account.connected')}>
      {query.isLoadingError && <ErrorState onRetry={() => query.refetch()} />}
      {connected.map((identity) => (
        <Setting
          key={identity.identity_id}
          name={providerName(identity.provider)}
          mark={<ProviderMark id={identity.provider} className="size-5 shrink-0" />}
          value={last ? t('account.connectedLast') : identity.identity_data?.email}
          action={
            <Button
              variant="secondary"
              size="sm"
              disabled={last}
              aria-label={t('account.disconnectFrom', { provider: providerName(identity.provider) })}
              onClick={() => setLeaving(identity)}
            >
              {t('account.disconnect')}
            </Button>
          }
        />
      ))}
      {query.data &&
        open.map((id) => (
          <Setting
            key={id}
            name={providerName(id)}
            mark={<ProviderMark id={id} className="size-5 shrink-0" />}
            value={null}
            action={
              <Button
                variant="secondary"
                size="sm"
                loading={connecting.isPending && connecting.variables === id}
                aria-label={t('account.connectWith', { provider: providerName(id) })}
                onClick={() => connecting.mutate(id)}
              >
                {t('account.connect')}
              </Button>
            }
          />
        ))}
      {leaving && <DisconnectDialog userId={userId} identity={leaving} onClose={() => setLeaving(null)} />}
    </SettingGroup>
  )
}

function DisconnectDialog({
  userId,
  identity,
  onClose,
}: {
  userId: string
  identity: UserIdentity
  onClose: () => void
}) {
  const { t } = useTranslation()
  const provider = providerName(identity.provider)
  const disconnecting = useAction(disconnectProvider(userId), {
    onSuccess: () => {
      toast.success(t('account.disconnected', { provider }))
      onClose()
    },
    onError: (error) => toast.error(t('ui.errorTitle'), { description: errorText(error) }),
  })
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('account.disconnectFrom', { provider })}
      description={t('account.disconnectBody')}
      confirmLabel={t('account.disconnect')}
      onConfirm={() => disconnecting.mutate(identity)}
      loading={disconnecting.isPending}
      danger
    />
  )
}

/** The error in the address after a failed connection. */
function useRefusedConnection() {
  const { t } = useTranslation()
  const { data: failure } = useQuery(redirectFailureQuery)
  const reason = failure && providerFailureText(failure, t)
  useEffect(() => {
    if (reason) toast.error(t('ui.errorTitle'), { id: 'connect-failed', description: reason })
  }, [reason, t])
}
