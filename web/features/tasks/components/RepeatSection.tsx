// How a task repeats, on its page: in words, with every day and the price of each visit.
import { useTranslation } from 'react-i18next'
import type { Cents } from '../../../../shared/money.ts'
import { dayIn, repeatsFrom } from '../../../lib/repeats.ts'
import { RepeatSummary } from '../../../ui/RepeatSummary.tsx'
import type { TaskDetails } from '../api/queries.ts'

/** Loaded where a task repeats: import it with `lazy(() => import('./RepeatSection.tsx'))`. */
export default function RepeatSection({ task, price }: { task: TaskDetails; price: Cents }) {
  const { t } = useTranslation()
  const repeats = repeatsFrom(task.repeats)
  if (!repeats) return null
  const times = task.repeat_times ?? []
  const timeZone = task.place_zone ?? ''
  return (
    <section>
      <h2 className="mb-2 text-xl">{t('repeats.title')}</h2>
      <RepeatSummary repeats={repeats} times={times} timeZone={timeZone} amount={price} className="text-lg" />
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
