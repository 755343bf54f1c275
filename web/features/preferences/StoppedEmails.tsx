// Tells a person that no notifications are mailed to their address, why, and how that ends.
import { useQuery } from '@tanstack/react-query'
import { MailX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { suppressedAddressQuery } from '../../lib/queries/suppressedAddress.ts'
import { Button } from '../../ui/Button.tsx'
import { NotYetKnown } from '../../ui/Skeleton.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { useAction } from '../../ui/useAction.ts'
import { resumeOwnEmails } from './api/actions.ts'

export function StoppedEmails({ userId }: { userId: string }) {
  const { t } = useTranslation()
  const { data: stopped, isLoading } = useQuery(suppressedAddressQuery(userId))
  const resuming = useAction(resumeOwnEmails(userId), {
    onSuccess: () => toast.success(t('preferences.stopped.resumed')),
    onError: t('preferences.stopped.failed'),
  })
  if (isLoading) return <NotYetKnown />
  if (!stopped) return null
  return (
    <div role="note" className="mb-6 flex gap-3 rounded-lg bg-wheat-soft p-4 text-wheat-ink">
      <MailX aria-hidden className="mt-0.5 size-5 shrink-0" />
      <div className="flex min-w-0 flex-col items-start gap-2">
        <p className="font-semibold">{t('preferences.stopped.title')}</p>
        <p className="wrap-anywhere">
          {t(`preferences.stopped.${stopped.reason}`, { address: stopped.address })}
        </p>
        <p>{t('preferences.stopped.what')}</p>
        <div className="mt-1 flex flex-wrap gap-2">
          <Button onClick={() => resuming.mutate()} loading={resuming.isPending}>
            {t('preferences.stopped.resume')}
          </Button>
          <Button asChild variant="secondary">
            <Link to={`${paths.profile}?tab=security`}>{t('preferences.stopped.change')}</Link>
          </Button>
        </div>
      </div>
    </div>
  )
}
