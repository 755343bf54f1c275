// A person's records, list by list: tasks, bookings on either side, reviews of them and by them. Each list loads and
// fails separately.
import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDate, formatMoney, formatNumber } from '../../../lib/format.ts'
import { taskPath } from '../../../lib/paths.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import type { CountQuery } from '../api/counts.ts'
import { belongingsCountQuery, bookingsOfQuery, reviewsOfQuery, tasksOfQuery } from '../api/directory.ts'
import { AuditList } from './AuditList.tsx'
import { ListPages } from './ListPages.tsx'

const TABS = ['tasks', 'hired', 'worked', 'reviewsOf', 'reviewsBy', 'audit'] as const

/** Begins with what `role` is here for: a tasker's jobs, anybody else's tasks. */
export function Belongings({ personId, role }: { personId: string; role: string | null }) {
  const { t } = useTranslation()
  const [tab, setTab] = useState<(typeof TABS)[number]>(role === 'task_doer' ? 'worked' : 'tasks')
  const content = {
    tasks: <Tasks personId={personId} />,
    hired: <Bookings personId={personId} side="task_giver_id" />,
    worked: <Bookings personId={personId} side="task_doer_id" />,
    reviewsOf: <Reviews personId={personId} side="reviewee_id" />,
    reviewsBy: <Reviews personId={personId} side="reviewer_id" />,
    audit: <AuditList filter={{ person: personId, adminsOnly: false }} />,
  }
  return (
    <div className="mb-10">
      <Tabs
        label={t('backOffice.people.belongings')}
        value={tab}
        onChange={setTab}
        tabs={TABS.map((value) => ({
          value,
          label: t(`backOffice.people.list.${value}`),
          content: content[value],
        }))}
      />
    </div>
  )
}

/** A list with its states; `row` draws one. */
function List<Row extends { id: string }>({
  rows,
  count,
  row,
}: {
  rows: UseInfiniteQueryResult<Row[]>
  count: CountQuery
  row: (one: Row) => ReactNode
}) {
  const { t } = useTranslation()
  if (rows.isPending) return <Skeleton className="h-32 w-full rounded-lg" />
  if (!rows.data) return <ErrorState error={rows.error} onRetry={() => rows.refetch()} />
  if (rows.data.length === 0) return <p className="text-ink-soft">{t('backOffice.people.nothing')}</p>
  return (
    <ListPages pages={rows} count={count}>
      {rows.data.map((one) => (
        <li key={one.id} className="p-4">
          {row(one)}
        </li>
      ))}
    </ListPages>
  )
}

function Line({
  title,
  to,
  badge,
  children,
}: {
  title: string
  to: string
  badge: ReactNode
  children: ReactNode
}) {
  return (
    <>
      <p className="flex items-start justify-between gap-x-4">
        <Link
          to={to}
          className="inline-block min-w-0 py-1 font-semibold wrap-anywhere text-sky underline-offset-4 hover:underline"
        >
          <bdi>{title}</bdi>
        </Link>
        {badge}
      </p>
      <p className="tabular text-sm text-ink-soft">{children}</p>
    </>
  )
}

function Tasks({ personId }: { personId: string }) {
  const { t } = useTranslation()
  const tasks = useInfiniteQuery(tasksOfQuery(personId))
  return (
    <List
      rows={tasks}
      count={belongingsCountQuery('tasks', 'task_giver_id', personId)}
      row={(task) => (
        <Line
          title={task.title}
          to={taskPath(task.id)}
          badge={
            <span className="flex shrink-0 gap-2 max-sm:flex-col max-sm:items-end">
              {task.hidden_for && !task.on_hold && (
                <Badge tone="danger">{t('backOffice.people.hidden')}</Badge>
              )}
              {task.on_hold ? (
                <Badge tone="waiting">{t('tasks.onHold.label')}</Badge>
              ) : (
                <Badge>{t(`tasks.status.${task.status}`)}</Badge>
              )}
            </span>
          }
        >
          {`${formatMoney(task.pay_amount)} · ${formatDate(task.created_at)}`}
        </Line>
      )}
    />
  )
}

function Bookings({ personId, side }: { personId: string; side: 'task_giver_id' | 'task_doer_id' }) {
  const { t } = useTranslation()
  const bookings = useInfiniteQuery(bookingsOfQuery(personId, side))
  return (
    <List
      rows={bookings}
      count={belongingsCountQuery('bookings', side, personId)}
      row={(booking) => (
        <Line
          title={booking.task.title}
          to={taskPath(booking.task.id)}
          badge={<Badge>{t(`bookings.status.${booking.status}`)}</Badge>}
        >
          {`${formatMoney(booking.agreed_amount)} · ${formatDate(booking.created_at)}`}
        </Line>
      )}
    />
  )
}

function Reviews({ personId, side }: { personId: string; side: 'reviewee_id' | 'reviewer_id' }) {
  const { t } = useTranslation()
  const reviews = useInfiniteQuery(reviewsOfQuery(personId, side))
  return (
    <List
      rows={reviews}
      count={belongingsCountQuery('reviews', side, personId)}
      row={(review) => {
        const other = (side === 'reviewee_id' ? review.reviewer : review.reviewee)?.full_name
        return (
          <>
            <p className="flex flex-wrap justify-between gap-x-4">
              <span className="font-semibold wrap-anywhere">
                {t(`backOffice.people.review.${side}`, { name: other || t('admin.unnamed') })}
              </span>
              <span className="tabular">
                {t('backOffice.people.stars', { stars: formatNumber(review.rating) })}
              </span>
            </p>
            {review.comment && (
              <p dir="auto" className="whitespace-pre-line wrap-anywhere">
                {review.comment}
              </p>
            )}
            <p className="text-sm text-ink-soft wrap-anywhere">
              {review.task && <bdi>{review.task.title}</bdi>}
              <span>{` · ${formatDate(review.created_at)}`}</span>
            </p>
          </>
        )
      }}
    />
  )
}
