// Where one is signed in: what each device calls itself, since when and when it was last used; and signing it out.
import { useQuery } from '@tanstack/react-query'
import Bowser from 'bowser'
import type { TFunction } from 'i18next'
import { Laptop, Smartphone } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { endOtherSessions, endSession } from '../api/actions.ts'
import { type Session, sessionsQuery } from '../api/queries.ts'
import { SettingGroup } from './Setting.tsx'

type Props = { userId: string; onOthersSignedOut: () => void }

export function DeviceList({ userId, onOthersSignedOut }: Props) {
  const { t } = useTranslation()
  const sessions = useQuery(sessionsQuery(userId))
  const ending = useAction(endSession(userId), {
    onSuccess: (_, session) => toast.success(t('account.signedOut', { device: deviceName(session, t).name })),
    onError: t('ui.errorTitle'),
  })
  const endingOthers = useAction(endOtherSessions(userId), {
    onSuccess: (count) => {
      toast.success(t('account.signedOutOthers', { count, number: formatNumber(count) }))
      onOthersSignedOut()
    },
    onError: t('ui.errorTitle'),
  })
  const busy = ending.isPending || endingOthers.isPending

  return (
    <SettingGroup title={t('account.devices')} lead={t('account.devicesLead')}>
      {sessions.isLoadingError ? (
        <ErrorState onRetry={() => sessions.refetch()} />
      ) : !sessions.data ? (
        <Skeleton className="h-20 w-full" />
      ) : (
        <>
          <ul className="divide-y divide-line rounded-md border border-line">
            {sessions.data.map((session) => (
              <Device
                key={session.id}
                session={session}
                busy={busy}
                ending={ending.isPending && ending.variables?.id === session.id}
                onEnd={() => ending.mutate(session)}
              />
            ))}
          </ul>
          {sessions.data.some(({ is_current }) => !is_current) && (
            <Button
              variant="secondary"
              className="self-start"
              loading={endingOthers.isPending}
              disabled={busy}
              onClick={() => endingOthers.mutate()}
            >
              {t('account.signOutOthers')}
            </Button>
          )}
        </>
      )}
    </SettingGroup>
  )
}

function Device({
  session,
  busy,
  ending,
  onEnd,
}: {
  session: Session
  busy: boolean
  ending: boolean
  onEnd: () => void
}) {
  const { t } = useTranslation()
  const { name, mobile } = deviceName(session, t)
  const Icon = mobile ? Smartphone : Laptop
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 p-4">
      <Icon aria-hidden className="size-6 shrink-0 text-ink-soft" />
      <div className="min-w-0 flex-1 basis-40">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-medium">
          <span>{name}</span>
          {session.is_current && <Badge tone="success">{t('account.thisDevice')}</Badge>}
        </p>
        <p className="text-sm text-ink-soft">
          {!session.is_current && (
            <>
              <span>{t('account.lastUsed')}</span> <RelativeTime at={session.last_used_at} />
              <span>{' · '}</span>
            </>
          )}
          <span>{t('account.signedIn', { at: formatDateTime(session.created_at) })}</span>
        </p>
      </div>
      {!session.is_current && (
        <Button
          variant="secondary"
          size="sm"
          loading={ending}
          disabled={busy}
          aria-label={t('account.signOutDevice', { device: name })}
          onClick={onEnd}
        >
          {t('account.signOut')}
        </Button>
      )}
    </li>
  )
}

/** The device's name by its user agent. Anybody can send any user agent, so it is a reminder and no proof. */
function deviceName({ user_agent }: Session, t: TFunction): { name: string; mobile: boolean } {
  if (!user_agent) return { name: t('account.unknownDevice'), mobile: false }
  const { browser, os, platform } = Bowser.parse(user_agent)
  const name =
    browser.name && os.name
      ? t('account.browserOn', { browser: browser.name, system: os.name })
      : // Unknown parts are empty names.
        browser.name || os.name || t('account.unknownDevice')
  return { name, mobile: platform.type === 'mobile' || platform.type === 'tablet' }
}
