// A task that was begun in this tab and not posted: one tap from where it was left.
import { ClipboardPen } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '../../../lib/paths.ts'
import { useSession } from '../../../lib/session.tsx'
import { waitingTaskPath } from '../../../lib/taskBeforeSignUp.ts'
import { Button } from '../../../ui/Button.tsx'

export function UnpostedTask({ title }: { title: string }) {
  const { t } = useTranslation()
  const { user } = useSession()
  return (
    <section
      aria-label={t('dashboard.unposted')}
      className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-lg bg-wheat-soft p-4 sm:px-5"
    >
      <p className="flex min-w-0 flex-1 basis-60 items-start gap-3">
        <ClipboardPen aria-hidden className="mt-0.5 size-5 shrink-0 text-wheat-ink" />
        <span className="min-w-0 wrap-anywhere">
          <span className="font-semibold">{title}</span>{' '}
          <span className="text-ink-soft">{t('dashboard.unpostedBody')}</span>
        </span>
      </p>
      <Button asChild size="sm" variant="secondary">
        <Link to={waitingTaskPath(user?.email) ?? paths.postTask}>{t('dashboard.unpostedAction')}</Link>
      </Button>
    </section>
  )
}
