// Asks, after a password was changed or devices were signed out, whether the account's other ways in are the person's
// own. Somebody who had access to the account may have added one, which those changes do not end.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { providerName } from '../../../lib/providers.ts'
import { passkeysAvailableQuery } from '../../../lib/queries/passkeys.ts'
import { isConnected } from '../../../lib/queries/waysIn.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { factorsQuery, removeFactor } from '../api/factors.ts'
import { disconnectProvider, identitiesQuery } from '../api/identities.ts'
import { passkeysQuery, removePasskey } from '../api/passkeys.ts'

type WayIn = { id: string; name: string; addedAt: string; remove: () => Promise<void> }

/** Shows nothing where the account has none. */
export function WaysInDialog({ userId, onClose }: { userId: string; onClose: () => void }) {
  const { t } = useTranslation()
  const ways = useWaysIn(userId)
  const [chosen, setChosen] = useState<string[]>([])
  const removing = useAction(
    {
      invalidates: ways.keys,
      invalidatesOnError: true,
      run: async () => {
        for (const way of ways.list) if (chosen.includes(way.id)) await way.remove()
      },
    },
    {
      onSuccess: () => {
        toast.success(t('account.waysInRemoved'))
        onClose()
      },
      onError: t('ui.errorTitle'),
    },
  )
  if (ways.list.length === 0) return null
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !removing.isPending && onClose()}
      title={t('account.waysIn')}
      description={t('account.waysInBody')}
      size="sm"
      footer={
        <>
          <Button variant="secondary" disabled={removing.isPending} onClick={onClose}>
            {t('account.waysInMine')}
          </Button>
          <Button
            variant="danger"
            disabled={chosen.length === 0}
            loading={removing.isPending}
            onClick={() => removing.mutate()}
          >
            {t('account.waysInRemove')}
          </Button>
        </>
      }
    >
      <ul className="flex flex-col gap-1">
        {ways.list.map(({ id, name, addedAt }) => (
          <li key={id}>
            <Checkbox
              checked={chosen.includes(id)}
              onChange={(event) =>
                setChosen(event.target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
              }
              label={name}
              hint={t('account.added', { date: formatDateTime(addedAt) })}
            />
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** The ways to sign in, newest first. */
function useWaysIn(userId: string) {
  const { t } = useTranslation()
  const { data: available = false } = useQuery(passkeysAvailableQuery)
  const passkeys = useQuery({ ...passkeysQuery(userId), enabled: available })
  const factors = useQuery(factorsQuery(userId))
  const identities = useQuery(identitiesQuery(userId))
  const named = (kind: string, name: string) => (name && name !== kind ? `${kind} · ${name}` : kind)
  const list: WayIn[] = [
    ...(passkeys.data ?? []).map((passkey) => ({
      id: passkey.id,
      name: named(t('account.passkey'), passkey.name),
      addedAt: passkey.createdAt,
      remove: () => removePasskey(userId).run(passkey),
    })),
    ...(factors.data?.factors ?? []).map((factor) => ({
      id: factor.id,
      name: named(t(factor.kind === 'key' ? 'account.securityKey' : 'account.authenticator'), factor.name),
      addedAt: factor.createdAt,
      remove: () => removeFactor(userId).run(factor),
    })),
    ...(identities.data ?? []).filter(isConnected).map((identity) => ({
      id: identity.identity_id,
      name: named(providerName(identity.provider), String(identity.identity_data?.email ?? '')),
      addedAt: identity.created_at ?? '',
      remove: () => disconnectProvider(userId).run(identity),
    })),
  ].sort((one, other) => Date.parse(other.addedAt) - Date.parse(one.addedAt))
  const keys = [passkeysQuery(userId), factorsQuery(userId), identitiesQuery(userId)].map(
    ({ queryKey }) => queryKey,
  )
  return { list, keys }
}
