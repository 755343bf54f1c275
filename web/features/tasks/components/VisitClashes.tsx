// For a task that repeats: that one applies for all visits, and the reader's own work at the time of some of them.
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { visitClashesQuery } from '../api/repeats.ts'

/** Loaded where a task repeats: import it with `lazy(() => import('./VisitClashes.tsx'))`. */
export default function VisitClashes({ taskId }: { taskId: string }) {
  const { t } = useTranslation()
  const { data: clashes = [] } = useQuery(visitClashesQuery(taskId))
  return (
    <div className="mb-4 flex flex-col gap-3">
      <p className="text-ink-soft">{t('repeats.applyAll')}</p>
      {clashes.length > 0 && (
        <div className="rounded-md bg-wheat-soft p-3 wrap-anywhere">
          <p>{t('repeats.clash')}</p>
          <ul className="mt-1 list-disc ps-5">
            {clashes.map(({ visit_at, title }) => (
              <li key={`${visit_at} ${title}`}>
                {t('repeats.clashLine', { day: formatDateTime(visit_at), task: title })}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}
