// The newest open tasks, as they are in the database now: proof that there is work and that people are asked.
import { useQuery } from '@tanstack/react-query'
import { ArrowRight, MapPin } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { priceOf } from '../../../../shared/fees.ts'
import { categoryText } from '../../../lib/categoryText.ts'
import { browsePath, taskPath } from '../../../lib/paths.ts'
import { CategoryIcon } from '../../../ui/CategoryIcon.tsx'
import { PriceFigure } from '../../../ui/PriceSplit.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { NEWEST_COUNT, newestTasksQuery } from '../api/newest.ts'

export function LiveTasks() {
  const { t } = useTranslation()
  const tasks = useQuery(newestTasksQuery)
  if (tasks.isError || tasks.data?.length === 0) return null
  return (
    <section aria-labelledby="open-now" aria-busy={tasks.isPending}>
      <h3
        id="open-now"
        className="mb-4 flex items-center gap-2.5 font-sans text-base font-bold tracking-normal"
      >
        <span aria-hidden className="relative flex size-2.5">
          <span className="absolute inset-0 animate-ping rounded-full bg-success opacity-60" />
          <span className="size-2.5 rounded-full bg-success" />
        </span>
        <span>{t('landing.live.title')}</span>
      </h3>
      <ul className="flex flex-col gap-3">
        {tasks.data?.map((task) => (
          <li
            key={task.id}
            className="relative flex animate-rise items-center gap-4 rounded-lg bg-surface p-4 shadow-float transition-transform hover:-translate-y-0.5"
          >
            <span className="grid size-11 shrink-0 place-items-center rounded-md bg-wheat-soft text-wheat-ink">
              <CategoryIcon category={task.category} className="size-5" />
            </span>
            <div className="min-w-0 flex-1">
              <h4
                dir="auto"
                className="cut-words line-clamp-2 font-sans sm:truncate text-base leading-snug font-semibold tracking-normal"
              >
                <Link to={taskPath(task.id)} className="outline-none after:absolute after:inset-0">
                  {task.title}
                </Link>
              </h4>
              <p className="mt-0.5 flex items-center gap-1.5 truncate text-sm text-ink-soft">
                <MapPin aria-hidden className="size-3.5 shrink-0" />
                <span dir="auto" className="truncate">
                  {task.location}
                </span>
                <RelativeTime at={task.created_at} className="shrink-0 text-ink-faint" />
                <span className="sr-only">{categoryText(t, task.category)}</span>
              </p>
            </div>
            <PriceFigure
              price={priceOf(task.pay_amount)}
              reader="other"
              size="stacked"
              className="shrink-0 text-end"
            />
          </li>
        )) ??
          Array.from({ length: NEWEST_COUNT }, (_, place) => place).map((place) => (
            <li key={place}>
              <Skeleton className="h-19 w-full rounded-lg" />
            </li>
          ))}
      </ul>
      <Link
        to={browsePath()}
        className="mt-4 inline-flex items-center gap-1.5 py-1 font-semibold text-sky hover:underline"
      >
        <span>{t('landing.live.all')}</span>
        <ArrowRight aria-hidden className="size-4 rtl:-scale-x-100" />
      </Link>
    </section>
  )
}
