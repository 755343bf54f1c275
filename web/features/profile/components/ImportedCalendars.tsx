// The calendars of other programs that a tasker imports: when each was read, why it could not be, and the form that adds one.
import { useQuery } from '@tanstack/react-query'
import { RefreshCw, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { errorText } from '../../../lib/errorText.ts'
import { formatNearDateTime, formatNumber } from '../../../lib/format.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Problem } from '../../../ui/form/Field.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import {
  type ImportedCalendar,
  importedQuery,
  intervalOf,
  refreshCalendar,
  removeCalendar,
} from '../api/calendars.ts'
import type { CalendarError } from '../calendars.ts'
import { NewCalendar } from './NewCalendar.tsx'

/** How long busy times count after they were last read (private.fail_calendar_read). */
const COUNTS_FOR_MS = 86_400_000

export function ImportedCalendars({ userId }: { userId: string }) {
  const { t } = useTranslation()
  const id = useId()
  const {
    data: calendars,
    error,
    isLoadingError,
    refetch,
  } = useQuery({
    ...importedQuery(userId),
    refetchInterval: ({ state }) => intervalOf(state.data),
  })
  return (
    <section aria-labelledby={id} className="flex flex-col gap-4">
      <div>
        <h3 id={id} className="text-lg">
          {t('calendars.import.title')}
        </h3>
        <p className="mt-1 text-ink-soft">{t('calendars.import.lead')}</p>
      </div>
      {isLoadingError ? (
        <ErrorState error={error} onRetry={() => refetch()} />
      ) : !calendars ? (
        <Skeleton className="h-40 w-full" />
      ) : (
        <>
          {calendars.length > 0 && (
            <ul className="divide-y divide-line border-y border-line">
              {calendars.map((calendar) => (
                <CalendarItem key={calendar.id} userId={userId} calendar={calendar} />
              ))}
            </ul>
          )}
          {calendars.length < limits.calendars.count ? (
            <NewCalendar userId={userId} />
          ) : (
            <p className="text-ink-soft">{t('calendars.import.full')}</p>
          )}
        </>
      )}
    </section>
  )
}

function CalendarItem({ userId, calendar }: { userId: string; calendar: ImportedCalendar }) {
  const { t } = useTranslation()
  const [removing, setRemoving] = useState(false)
  const removal = useAction(removeCalendar(userId))
  const refreshing = useAction(refreshCalendar(userId), {
    onSuccess: () => toast.success(t('calendars.import.refreshing')),
  })
  const { id, name, address, isReading } = calendar
  return (
    <li className="flex flex-col gap-2 py-3">
      <div className="flex items-center gap-x-2">
        <div className="min-w-0 flex-1">
          <p className="font-semibold wrap-anywhere">
            <bdi>{name}</bdi>
          </p>
          <p className="truncate text-sm text-ink-faint" dir="ltr" translate="no">
            {address}
          </p>
        </div>
        <Button
          variant="ghost"
          size="icon"
          aria-label={t('calendars.import.refreshNamed', { name })}
          title={t('calendars.import.refresh')}
          disabled={isReading}
          loading={refreshing.isPending}
          onClick={() => refreshing.mutate(id)}
        >
          <RefreshCw aria-hidden />
        </Button>
        <Button
          variant="ghost"
          size="icon"
          aria-label={t('calendars.import.remove', { name })}
          onClick={() => setRemoving(true)}
        >
          <Trash2 aria-hidden />
        </Button>
      </div>
      <State calendar={calendar} />
      {refreshing.error && <Problem>{errorText(refreshing.error)}</Problem>}
      <AlertDialog
        open={removing}
        onOpenChange={setRemoving}
        title={t('calendars.import.removeTitle', { name })}
        description={t('calendars.import.removeText')}
        confirmLabel={t('calendars.import.removeConfirm')}
        onConfirm={() => removal.mutate(id)}
        loading={removal.isPending}
        problem={removal.error && errorText(removal.error)}
        danger
      />
    </li>
  )
}

/** When it was read, or why it was not and what to do. */
function State({ calendar: { isReading, error, read_at, busy_times } }: { calendar: ImportedCalendar }) {
  const { t } = useTranslation()
  const countsUntil = read_at && new Date(Date.parse(read_at) + COUNTS_FOR_MS)
  if (isReading) return <p className="text-sm text-ink-soft">{t('calendars.import.reading')}</p>
  if (error === null)
    return (
      <p className="text-sm text-ink-soft">
        {read_at &&
          t('calendars.import.read', { at: formatNearDateTime(read_at), number: formatNumber(busy_times) })}
      </p>
    )
  return (
    <div className="rounded-md bg-wheat-soft p-3 text-sm text-wheat-ink">
      <p>{t(`calendars.import.error.${error as CalendarError}`)}</p>
      {countsUntil && busy_times > 0 && (
        <p className="mt-1">{t('calendars.import.counts', { at: formatNearDateTime(countsUntil) })}</p>
      )}
    </div>
  )
}
