// E-mail notifications as a whole; the single kinds are on a separate page.
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '../../../lib/paths.ts'
import { notificationSettingsQuery } from '../../../lib/queries/notificationSettings.ts'
import { Button } from '../../../ui/Button.tsx'
import { Switch } from '../../../ui/Checkbox.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { saveEmailNotifications } from '../api/actions.ts'

export function EmailNotifications({ userId }: { userId: string }) {
  const { t } = useTranslation()
  const settings = useQuery(notificationSettingsQuery(userId))
  const saving = useAction(saveEmailNotifications(userId), { onError: t('ui.errorTitle') })

  if (settings.isLoadingError) return <ErrorState onRetry={() => settings.refetch()} />
  if (!settings.data) return <Skeleton className="h-28 w-full" />
  const optional = settings.data.filter(({ required }) => !required)
  const enabled = saving.isPending ? saving.variables?.enabled : optional.some(({ email }) => email)
  return (
    <div className="flex flex-col items-start gap-4">
      <Switch
        className="w-full"
        label={<span className="text-lg font-semibold">{t('preferences.allEmails')}</span>}
        hint={t('preferences.allHint', {
          state: t(enabled ? 'preferences.enabled' : 'preferences.disabled'),
        })}
        checked={enabled}
        onChange={(event) =>
          saving.mutate({
            enabled: event.target.checked,
            kinds: optional.map(({ kind, bell, push }) => ({ kind, bell, push })),
          })
        }
      />
      <Button asChild variant="secondary">
        <Link to={paths.notificationSettings}>{t('preferences.choose')}</Link>
      </Button>
    </div>
  )
}
