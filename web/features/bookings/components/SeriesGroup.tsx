// The visits of a series as one entry: what was agreed, the next visit, and the others folded.
import { ChevronDown, Repeat, Snowflake } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '../../../lib/format.ts'
import { taskPath } from '../../../lib/paths.ts'
import { repeatsFrom, spanOfSeries } from '../../../lib/repeats.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { classes } from '../../../ui/classes.ts'
import { RepeatSummary } from '../../../ui/RepeatSummary.tsx'
import type { Booking, Side } from '../api/queries.ts'
import type { StopPreview } from '../api/series.ts'
import { nextVisit } from '../groups.ts'
import { AutoPay } from './AutoPay.tsx'
import { BookingItem } from './BookingItem.tsx'

const StopDialog = lazy(() => import('./StopDialog.tsx'))
const SnowDialog = lazy(() => import('./SnowDialog.tsx'))

type SeriesGroupProps = {
  /** The visits in this list, by number. */
  visits: [Booking, ...Booking[]]
  /** All bookings of the person: the other visits of the series are among them. */
  all: Booking[]
  side: Side
  wantedId: string | null
  render: (booking: Booking, belowRow?: boolean) => ReactNode
}

/** Loaded with the first series: import it with `lazy(() => import('./SeriesGroup.tsx'))`. */
export default function SeriesGroup({ visits, all, side, wantedId, render }: SeriesGroupProps) {
  const { t } = useTranslation()
  const next = nextVisit(visits, side)
  const others = visits.filter(({ id }) => id !== next.id)
  const [open, setOpen] = useState(others.some(({ id }) => id === wantedId))
  const { series } = next
  if (!series) return null
  const item = (booking: Booking, line = false) => (
    <BookingItem key={booking.id} booking={booking} wanted={booking.id === wantedId}>
      {render(booking, line)}
    </BookingItem>
  )
  return (
    <section
      aria-labelledby={`series-${series.id}`}
      className="rounded-lg border border-line-strong/60 bg-sunken p-4 max-sm:p-2.5"
    >
      <Agreed visits={visits} all={all} series={series} side={side} />
      <ul className="mt-4 flex flex-col gap-3 max-sm:mt-2.5 max-sm:gap-2">{item(next)}</ul>
      {others.length > 0 && (
        <>
          <Button
            variant="ghost"
            size="sm"
            className="mt-3"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            <ChevronDown aria-hidden className={classes('transition-transform', open && 'rotate-180')} />
            <span>{`${t(open ? 'repeats.hideOther' : 'repeats.showOther')} (${formatNumber(others.length)})`}</span>
          </Button>
          {open && (
            <ul aria-label={t('repeats.other')} className="mt-2 flex flex-col gap-2">
              {others.map((booking) => item(booking, true))}
            </ul>
          )}
        </>
      )}
    </section>
  )
}

type AgreedProps = Pick<SeriesGroupProps, 'visits' | 'all' | 'side'> & {
  series: NonNullable<Booking['series']>
}

/** The agreement, its progress, and actions on all visits. */
function Agreed({ visits, all, series, side }: AgreedProps) {
  const { t } = useTranslation()
  const [dialog, setDialog] = useState<'stop' | 'snow' | null>(null)
  const ofSeries = all
    .filter(({ series_id, visit_number }) => series_id === series.id && (visit_number ?? 0) > 0)
    .sort((one, other) => (one.visit_number ?? 0) - (other.visit_number ?? 0))
  const done = ofSeries.filter(({ status }) => status === 'completed').length
  const [{ task, agreed_amount }] = visits
  const repeats = repeatsFrom(series.repeats)
  const snow = repeats?.every === 'snowfall'
  const active = series.status === 'active'
  const agreed = all.find(({ series_id, visit_number }) => series_id === series.id && visit_number === 0)
  return (
    <header className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Repeat aria-hidden className="size-5 shrink-0 text-ink-soft" />
        <h2 id={`series-${series.id}`} className="min-w-0 text-xl leading-snug wrap-anywhere max-sm:text-lg">
          <Link to={taskPath(task.id)} className="hover:text-sky hover:underline">
            <bdi>{task.title}</bdi>
          </Link>
        </h2>
        <Badge tone={active ? 'info' : 'neutral'}>
          {t(`repeats.status.${series.status as StopPreview['status']}`)}
        </Badge>
        <span className="tabular text-ink-soft">{t('repeats.done', { done: formatNumber(done) })}</span>
      </div>
      {repeats && (
        <RepeatSummary
          repeats={repeats}
          span={spanOfSeries(series)}
          timeZone={series.time_zone}
          amount={agreed_amount}
          className="text-ink-soft"
        />
      )}
      {active && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          {snow && side === 'tasker' && agreed && (
            <Button onClick={() => setDialog('snow')}>
              <Snowflake aria-hidden />
              <span>{t('repeats.snowed')}</span>
            </Button>
          )}
          {side === 'giver' && <AutoPay series={series} />}
          <Button
            variant="ghost"
            size="sm"
            className="text-danger first:-ms-3"
            onClick={() => setDialog('stop')}
          >
            {t('repeats.stop')}
          </Button>
        </div>
      )}
      <Suspense>
        {dialog === 'stop' && <StopDialog series={series} side={side} onClose={() => setDialog(null)} />}
        {dialog === 'snow' && agreed && (
          <SnowDialog series={series} agreedId={agreed.id} onClose={() => setDialog(null)} />
        )}
      </Suspense>
    </header>
  )
}
