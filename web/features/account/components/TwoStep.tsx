// Two-step verification in the Security tab: an account's authenticator apps and security keys, and its recovery codes.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDate, formatNumber } from '../../../lib/format.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { type Factor, factorsQuery, makeRecoveryCodes, removeFactor } from '../api/factors.ts'
import { AuthenticatorDialog } from './AuthenticatorDialog.tsx'
import { RecoveryCodesDialog } from './RecoveryCodesDialog.tsx'
import { SecurityKeyDialog } from './SecurityKeyDialog.tsx'
import { Setting, SettingGroup } from './Setting.tsx'

const hasSecurityKeys = 'PublicKeyCredential' in window

export function TwoStep({ userId }: { userId: string }) {
  const { t } = useTranslation()
  const query = useQuery(factorsQuery(userId))
  const [adding, setAdding] = useState<'app' | 'key' | null>(null)
  const [removing, setRemoving] = useState<Factor | null>(null)
  const { factors = [], codesLeft = 0 } = query.data ?? {}
  const recovery = useRecoveryCodes(userId, codesLeft)
  const kinds = [
    { kind: 'app', name: t('account.authenticator'), add: t('account.authenticatorAdd') } as const,
    ...(hasSecurityKeys
      ? [{ kind: 'key', name: t('account.securityKey'), add: t('account.securityKeyAdd') } as const]
      : []),
  ]
  const AddDialog = adding && { app: AuthenticatorDialog, key: SecurityKeyDialog }[adding]

  return (
    <SettingGroup title={t('account.twoStep')} lead={t('account.twoStepLead')}>
      {query.isLoadingError ? (
        <ErrorState onRetry={() => query.refetch()} />
      ) : !query.data ? (
        <Skeleton className="h-20 w-full" />
      ) : factors.length === 0 ? (
        kinds.map(({ kind, name }) => <NotSetUp key={kind} name={name} onAdd={() => setAdding(kind)} />)
      ) : (
        <>
          {factors.map((factor) => (
            <FactorSetting key={factor.id} factor={factor} onRemove={() => setRemoving(factor)} />
          ))}
          <Setting
            name={t('account.recoveryCodes')}
            value={t('account.recoveryCodesLeft', { count: codesLeft, number: formatNumber(codesLeft) })}
            action={
              <Button variant="secondary" size="sm" loading={recovery.isMaking} onClick={recovery.make}>
                {t('account.recoveryCodesMake')}
              </Button>
            }
          />
          <div className="flex flex-wrap gap-3">
            {kinds.map(({ kind, add }) => (
              <Button key={kind} variant="secondary" onClick={() => setAdding(kind)}>
                {add}
              </Button>
            ))}
          </div>
        </>
      )}
      {AddDialog && (
        <AddDialog
          userId={userId}
          taken={factors.map(({ name }) => name)}
          onClose={() => setAdding(null)}
          onProved={() => {
            setAdding(null)
            if (codesLeft === 0) recovery.make()
          }}
        />
      )}
      {removing && (
        <RemoveDialog
          userId={userId}
          factor={removing}
          last={factors.length === 1}
          onClose={() => setRemoving(null)}
        />
      )}
      {recovery.codes && (
        <RecoveryCodesDialog codes={recovery.codes} replaced={recovery.replaced} onClose={recovery.forget} />
      )}
    </SettingGroup>
  )
}

/** `codes`: new recovery codes, shown once; null while there are none to show. */
function useRecoveryCodes(userId: string, left: number) {
  const { t } = useTranslation()
  const [codes, setCodes] = useState<string[] | null>(null)
  const [replaced, setReplaced] = useState(false)
  const making = useAction(makeRecoveryCodes(userId), { onSuccess: setCodes, onError: t('ui.errorTitle') })
  const make = () => {
    setReplaced(left > 0)
    making.mutate()
  }
  return { codes, replaced, isMaking: making.isPending, make, forget: () => setCodes(null) }
}

function NotSetUp({ name, onAdd }: { name: string; onAdd: () => void }) {
  const { t } = useTranslation()
  return (
    <Setting
      name={name}
      value={t('account.twoStepOff')}
      action={
        <Button
          variant="secondary"
          size="sm"
          aria-label={t('ui.labelled', { label: t('account.twoStepSetUp'), value: name })}
          onClick={onAdd}
        >
          {t('account.twoStepSetUp')}
        </Button>
      }
    />
  )
}

function FactorSetting({ factor, onRemove }: { factor: Factor; onRemove: () => void }) {
  const { t } = useTranslation()
  return (
    <Setting
      name={factor.name || t(factor.kind === 'key' ? 'account.securityKey' : 'account.authenticator')}
      value={
        <>
          {factor.kind === 'key' && factor.name !== t('account.securityKey') && (
            <span>{`${t('account.securityKey')} · `}</span>
          )}
          <span>{t('account.added', { date: formatDate(factor.createdAt) })}</span>
        </>
      }
      action={
        <Button
          variant="secondary"
          size="sm"
          aria-label={t('account.removeFactor', { name: factor.name })}
          onClick={onRemove}
        >
          {t('account.remove')}
        </Button>
      }
    />
  )
}

function RemoveDialog({
  userId,
  factor,
  last,
  onClose,
}: {
  userId: string
  factor: Factor
  last: boolean
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { name } = factor
  const removing = useAction(removeFactor(userId), {
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
      description={t(last ? 'account.removeFactorLast' : 'account.removeFactorOther')}
      confirmLabel={t('account.remove')}
      loading={removing.isPending}
      onConfirm={() => removing.mutate(factor)}
    />
  )
}
