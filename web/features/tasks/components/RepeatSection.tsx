// How a task repeats, on its page: in words, with every day and the price of each visit.
import { useTranslation } from 'react-i18next'
import type { Cents } from '../../../../shared/money.ts'
import { clockOf } from '../../../../shared/placeClocks.ts'
import { dayIn, repeatsFrom, spanOf, spanOfSeries } from '../../../lib/repeats.ts'
import { RepeatSummary } from '../../../ui/RepeatSummary.tsx'
import type { TaskDetails, Visit } from '../api/queries.ts'

type RepeatSectionProps = {
  task: TaskDetails
  /** Once a tasker is accepted: the series says what was agreed. */
  series: NonNullable<Visit>['series'] | undefined
  price: Cents
}

/** Loaded where a task repeats: import it with `lazy(() => import('./RepeatSection.tsx'))`. */
export default function RepeatSection({ task, series, price }: RepeatSectionProps) {
  const { t } = useTranslation()
  const repeats = repeatsFrom(series ? series.repeats : task.repeats)
  if (!repeats) return null
  const timeZone = series?.time_zone ?? clockOf(task)
  const times = (series ? series.planned_times : task.repeat_times) ?? []
  const span = series ? spanOfSeries(series) : spanOf(repeats, times, timeZone)
  return (
    <section>
      <h2 className="mb-2 text-xl">{t('repeats.title')}</h2>
      <RepeatSummary repeats={repeats} span={span} timeZone={timeZone} amount={price} className="text-lg" />
      {times.length > 0 && (
        <details className="mt-2">
          <summary className="inline-flex min-h-11 cursor-pointer items-center font-medium text-sky">
            {t('repeats.days')}
          </summary>
          <ul className="tabular mt-1 flex flex-wrap gap-2">
            {times.map((at) => (
              <li key={at} className="rounded-md border border-line bg-surface px-2.5 py-1 text-sm">
                <time dateTime={at}>{dayIn(at, timeZone)}</time>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}
