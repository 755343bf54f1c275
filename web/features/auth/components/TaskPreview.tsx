// The task that led a guest here, next to the form: what, where and for how much.
import { useQuery } from '@tanstack/react-query'
import { FileQuestion, MapPin } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { priceOf } from '../../../../shared/fees.ts'
import { categoryText } from '../../../lib/categoryText.ts'
import { browsePath } from '../../../lib/paths.ts'
import { Card } from '../../../ui/Card.tsx'
import { CategoryIcon } from '../../../ui/CategoryIcon.tsx'
import { classes } from '../../../ui/classes.ts'
import { PriceFigure } from '../../../ui/PriceSplit.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { taskHeadQuery } from '../api/queries.ts'

/** In one column the form is below: whatever comes has this height, so that the form does not move. */
const ROOM_CLASSES = 'min-h-52 lg:min-h-72'

export function TaskPreview({ id }: { id: string }) {
  const { t } = useTranslation()
  const { data: task, isPending, isError } = useQuery(taskHeadQuery(id))
  const gone = task === null
  return (
    <section aria-label={t('layout.titles.task')} aria-busy={isPending}>
      <Card className="@container p-4 shadow-float lg:p-7">
        {isPending && <Loading />}
        {gone && <Gone />}
        {task && (
          <div className={classes('flex flex-col', ROOM_CLASSES)}>
            <p className="flex items-center gap-1.5 text-sm font-semibold text-ink-soft">
              <CategoryIcon category={task.category} className="size-4 shrink-0" />
              <span className="truncate">{categoryText(t, task.category)}</span>
            </p>
            <h2
              dir="auto"
              className="cut-words mt-1 line-clamp-2 text-lg leading-snug wrap-anywhere lg:mt-2 lg:line-clamp-3 lg:text-3xl"
            >
              {task.title}
            </h2>
            <p className="mt-1 flex items-center gap-1.5 text-sm text-ink-soft lg:mt-3 lg:text-base">
              <MapPin aria-hidden className="size-[1em] shrink-0 text-ink-faint" />
              <span dir="auto" className="truncate">
                {task.location}
              </span>
            </p>
            <p
              dir="auto"
              className="cut-words mt-1.5 line-clamp-2 text-sm text-ink-soft lg:mt-3 lg:line-clamp-5 lg:text-base"
            >
              {task.description}
            </p>
            <PriceFigure
              price={priceOf(task.pay_amount)}
              reader="other"
              size="large"
              className="mt-auto pt-2 lg:pt-5"
            />
          </div>
        )}
        <p
          className={classes(
            'text-sm lg:text-base',
            !isError && 'mt-3 border-t border-line pt-3 lg:mt-5 lg:pt-5',
            gone && 'invisible lg:hidden',
          )}
        >
          {t('auth.toSeeTask')}
        </p>
      </Card>
    </section>
  )
}

function Gone() {
  const { t } = useTranslation()
  return (
    <div className="flex min-h-52 items-center gap-4 lg:min-h-0">
      <FileQuestion aria-hidden className="size-6 shrink-0 text-ink-faint" />
      <div>
        <p className="text-lg font-semibold">{t('tasks.taken')}</p>
        <Link to={browsePath()} className="inline-block py-1 font-medium text-sky hover:underline">
          {t('layout.nav.browse')}
        </Link>
      </div>
    </div>
  )
}

function Loading() {
  const { t } = useTranslation()
  return (
    <div className={classes('flex flex-col', ROOM_CLASSES)}>
      <span role="status" className="sr-only">
        {t('ui.loading')}
      </span>
      <Skeleton fits className="w-32" />
      <Skeleton fits className="mt-3 h-6 w-4/5 lg:h-9" />
      <Skeleton fits className="mt-4 w-48" />
      <Skeleton fits className="mt-3 w-full" />
      <Skeleton fits className="mt-auto h-9 w-36" />
    </div>
  )
}
