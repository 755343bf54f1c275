// Passkeys in the Security tab: added, named, removed. Not there where the service or the browser does without.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDate } from '../../../lib/format.ts'
import { passkeysAvailableQuery } from '../../../lib/queries/passkeys.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Button } from '../../../ui/Button.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { type Passkey, passkeysQuery, removePasskey } from '../api/passkeys.ts'
import { PasskeyDialog } from './PasskeyDialog.tsx'
import { Setting, SettingGroup } from './Setting.tsx'

export function Passkeys({ userId }: { userId: string }) {
  const { data: available } = useQuery(passkeysAvailableQuery)
  return available ? <PasskeyList userId={userId} /> : null
}

function PasskeyList({ userId }: { userId: string }) {
  const { t } = useTranslation()
  const passkeys = useQuery(passkeysQuery(userId))
  const [naming, setNaming] = useState<Passkey | 'new' | null>(null)
  const [removing, setRemoving] = useState<Passkey | null>(null)
  return (
    <SettingGroup title={t('account.passkeys')} lead={t('account.passkeysLead')}>
      {passkeys.isLoadingError ? (
        <ErrorState onRetry={() => passkeys.refetch()} />
      ) : !passkeys.data ? (
        <Skeleton className="h-11 w-full" />
      ) : (
        <>
          {passkeys.data.map((passkey) => (
            <Setting
              key={passkey.id}
              name={passkey.name || t('account.passkey')}
              value={<Dates passkey={passkey} />}
              action={
                <div className="flex gap-2">
                  <Button
                    variant="secondary"
                    size="sm"
                    aria-label={t('account.passkeyRename', { name: passkey.name })}
                    onClick={() => setNaming(passkey)}
                  >
                    {t('account.rename')}
                  </Button>
                  <Button
                    variant="secondary"
                    size="sm"
                    aria-label={t('account.removeFactor', { name: passkey.name })}
                    onClick={() => setRemoving(passkey)}
                  >
                    {t('account.remove')}
                  </Button>
                </div>
              }
            />
          ))}
          <Button variant="secondary" className="self-start" onClick={() => setNaming('new')}>
            {t('account.passkeyAdd')}
          </Button>
        </>
      )}
      {naming && (
        <PasskeyDialog
          userId={userId}
          passkey={naming === 'new' ? null : naming}
          onClose={() => setNaming(null)}
        />
      )}
      {removing && <RemoveDialog userId={userId} passkey={removing} onClose={() => setRemoving(null)} />}
    </SettingGroup>
  )
}

function Dates({ passkey: { createdAt, lastUsedAt } }: { passkey: Passkey }) {
  const { t } = useTranslation()
  return (
    <>
      <span>{t('account.added', { date: formatDate(createdAt) })}</span>
      {lastUsedAt && (
        <>
          <span>{` · ${t('account.lastUsed')}`}</span> <RelativeTime at={lastUsedAt} />
        </>
      )}
    </>
  )
}

function RemoveDialog({
  userId,
  passkey,
  onClose,
}: {
  userId: string
  passkey: Passkey
  onClose: () => void
}) {
  const { t } = useTranslation()
  const name = passkey.name || t('account.passkey')
  const removing = useAction(removePasskey(userId), {
    onSuccess: () => {
      toast.success(t('account.factorRemoved', { name }))
      onClose()
    },
    onError: t('ui.errorTitle'),
  })
  return (
    <AlertDialog
      open
      danger
      onOpenChange={(open) => !open && !removing.isPending && onClose()}
      title={t('account.removeFactorTitle', { name })}
      description={t('account.passkeyRemoveBody')}
      confirmLabel={t('account.remove')}
      loading={removing.isPending}
      onConfirm={() => removing.mutate(passkey)}
    />
  )
}
