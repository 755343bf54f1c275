// A giver's tasks, next to their bookings: open ones that wait for a tasker, and closed ones that can be posted
// again.
import { Pencil, Repeat, Users } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { priceOf } from '../../../../shared/fees.ts'
import { clockOf } from '../../../../shared/placeClocks.ts'
import { formatDate, formatDateTime } from '../../../lib/format.ts'
import { editTaskPath, postTaskPath, taskPath } from '../../../lib/paths.ts'
import { publicPhoto } from '../../../lib/photoAddress.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { PriceFigure } from '../../../ui/PriceSplit.tsx'
import type { PostedTask } from '../api/posted.ts'

const PAGE_SIZE = 5

/** Nothing where there are none. */
export function PostedTasks({ tasks }: { tasks: PostedTask[] }) {
  const { t } = useTranslation()
  return (
    <TaskList title={t('bookings.posted')} tasks={tasks}>
      {(task) => (
        <>
          {task.on_hold ? (
            <>
              <Badge tone="waiting">{t('tasks.onHold.label')}</Badge>
              <span className="text-sm text-ink-soft">{t('ui.hidden.suspension')}</span>
            </>
          ) : task.status === 'asked' ? (
            <Badge tone="waiting">{t('bookings.askedFirst')}</Badge>
          ) : (
            <Badge icon={Users}>{t('bookings.noOpenApplications')}</Badge>
          )}
          {!task.on_hold && (
            <Button asChild variant="secondary" size="sm" className="max-sm:min-h-11">
              <Link
                to={editTaskPath(task.id)}
                aria-label={t('bookings.editTaskNamed', { title: task.title })}
              >
                <Pencil aria-hidden />
                <span>{t('bookings.editTask')}</span>
              </Link>
            </Button>
          )}
        </>
      )}
    </TaskList>
  )
}

/** The same for tasks that were closed. */
export function ClosedTasks({ tasks }: { tasks: PostedTask[] }) {
  const { t } = useTranslation()
  return (
    <TaskList title={t('bookings.closedTasks')} tasks={tasks} level="h3">
      {(task) => (
        <>
          <Badge>{t('bookings.closed')}</Badge>
          <Button asChild variant="secondary" size="sm" className="max-sm:min-h-11">
            <Link
              to={postTaskPath({ repeat: task.id })}
              aria-label={t('bookings.postAgainNamed', { title: task.title })}
            >
              <Repeat aria-hidden />
              <span>{t('bookings.postAgain')}</span>
            </Link>
          </Button>
        </>
      )}
    </TaskList>
  )
}

function TaskList({
  title,
  tasks,
  level: Heading = 'h2',
  children,
}: {
  title: string
  tasks: PostedTask[]
  level?: 'h2' | 'h3'
  /** The state of one, and what can be done about it. */
  children: (task: PostedTask) => ReactNode
}) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(PAGE_SIZE)
  if (tasks.length === 0) return null
  return (
    <section aria-label={title}>
      <Heading
        className={Heading === 'h2' ? 'mb-4 text-2xl max-sm:mb-2.5 max-sm:text-xl' : 'mt-2 mb-3 text-lg'}
      >
        {title}
      </Heading>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {tasks.slice(0, shown).map((task) => (
          <li
            key={task.id}
            className="flex flex-wrap items-center gap-x-4 gap-y-3 px-4 py-3 max-sm:gap-y-1.5 max-sm:px-3"
          >
            {task.photos[0] && !task.hidden_for && (
              <img
                src={publicPhoto(task.photos[0], { small: true })}
                alt=""
                loading="lazy"
                className="size-12 shrink-0 rounded-md border border-line object-cover"
              />
            )}
            <div className="min-w-0 flex-[1_1_12rem]">
              <p className="font-semibold wrap-anywhere">
                <Link to={taskPath(task.id)} className="hover:text-sky hover:underline">
                  <bdi>{task.title}</bdi>
                </Link>
              </p>
              <p className="text-sm text-ink-soft">
                <span>{`${task.scheduled_date ? formatDateTime(task.scheduled_date, clockOf(task)) : t('tasks.anyTime')} · `}</span>
                <bdi>{task.location}</bdi>
                <span>{' · '}</span>
                <span className="whitespace-nowrap">
                  {t('bookings.postedOn', { date: formatDate(task.created_at) })}
                </span>
              </p>
            </div>
            <PriceFigure
              price={priceOf(task.pay_amount)}
              reader={task.status === 'cancelled' ? 'over' : 'giver'}
            />
            <div className="flex flex-wrap items-center gap-x-3 gap-y-2">{children(task)}</div>
          </li>
        ))}
      </ul>
      {tasks.length > shown && (
        <Button variant="ghost" className="mt-2" onClick={() => setShown(tasks.length)}>
          {t('bookings.morePosted', { count: tasks.length - shown })}
        </Button>
      )}
    </section>
  )
}
