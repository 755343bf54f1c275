// Apps with access: where one signs in with this account, what each sees of it, and taking that back.
import { useQuery } from '@tanstack/react-query'
import { AppWindow } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { Button } from '../../../ui/Button.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { type Application, applicationsQuery, revokeAccess } from '../api/applications.ts'
import { SettingGroup } from './Setting.tsx'

export function ApplicationList({ userId }: { userId: string }) {
  const { t, i18n } = useTranslation()
  const applications = useQuery(applicationsQuery(userId))
  const nameOf = ({ name }: Application) => name || t('connectedApps.nameless')
  const revoking = useAction(revokeAccess(userId), {
    onSuccess: (_, application) =>
      toast.success(t('connectedApps.revoked', { application: nameOf(application) })),
    onError: t('ui.errorTitle'),
  })
  if (applications.data === null) return null
  const seen = ({ scopes }: Application) =>
    new Intl.ListFormat(i18n.language).format(scopes.map((scope) => t(`connectedApps.short.${scope}`)))

  return (
    <SettingGroup title={t('connectedApps.list')} lead={t('connectedApps.listLead')}>
      {applications.isLoadingError ? (
        <ErrorState onRetry={() => applications.refetch()} />
      ) : !applications.data ? (
        <Skeleton className="h-16 w-full" />
      ) : applications.data.length === 0 ? (
        <p>{t('connectedApps.none')}</p>
      ) : (
        <ul className="divide-y divide-line rounded-md border border-line">
          {applications.data.map((application) => (
            <li key={application.id} className="flex flex-wrap items-center gap-x-4 gap-y-3 p-4">
              <AppWindow aria-hidden className="size-6 shrink-0 text-ink-soft" />
              <div className="min-w-0 flex-1 basis-40 wrap-anywhere">
                <p className="font-medium">{nameOf(application)}</p>
                <p className="text-sm text-ink-soft">
                  {`${seen(application)} · ${t('connectedApps.since', { at: formatDateTime(application.grantedAt) })}`}
                </p>
              </div>
              <Button
                variant="secondary"
                size="sm"
                loading={revoking.isPending && revoking.variables?.id === application.id}
                disabled={revoking.isPending}
                aria-label={t('connectedApps.revokeOf', { application: nameOf(application) })}
                onClick={() => revoking.mutate(application)}
              >
                {t('connectedApps.revoke')}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </SettingGroup>
  )
}
