// Up to five tasks: a giver's own, or open ones to take.
import { ClipboardList, Clock3, MapPin, Users, Zap } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { priceOf } from '../../../../shared/fees.ts'
import type { Cents } from '../../../../shared/money.ts'
import { categoryText } from '../../../lib/categoryText.ts'
import type { Enums } from '../../../lib/database.types.ts'
import { formatNumber } from '../../../lib/format.ts'
import { useOutbox } from '../../../lib/outbox.ts'
import { browsePath, paths, taskPath } from '../../../lib/paths.ts'
import { movedTotal, type PaymentWithChanges, withExtras } from '../../../lib/queries/changes.ts'
import { priceOfPayment } from '../../../lib/queries/payment.ts'
import { Badge, type Tone } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CategoryIcon } from '../../../ui/CategoryIcon.tsx'
import { PriceFigure } from '../../../ui/PriceSplit.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../../ui/States.tsx'

type ListedTask = {
  id: string
  title: string
  description: string
  category: string
  location: string
  pay_amount: Cents
  status: Enums<'task_status'>
  /** Until the giver's suspension ends. */
  on_hold: boolean | null
  /** Applications that nobody has decided; a tasker sees no others than their own. */
  applicants: number
  /** Before fees, of the booking that it was given to; null for none. */
  agreed: Cents | null
  payment: PaymentWithChanges | null
}

const tones: Record<ListedTask['status'], Tone> = {
  open: 'info',
  asked: 'waiting',
  assigned: 'info',
  completed: 'success',
  cancelled: 'neutral',
}

export function DashboardTasks({
  gives,
  loading,
  failed,
  tasks,
  total,
  onRetry,
}: {
  gives: boolean
  loading: boolean
  failed: boolean
  tasks: ListedTask[]
  /** How many there are, of which these are the newest. */
  total: number
  onRetry: () => void
}) {
  const { t } = useTranslation()
  const outbox = useOutbox()
  const queued = gives ? outbox.flatMap((entry) => (entry.kind === 'task' ? [entry] : [])) : []
  return (
    <section className="mt-12" aria-busy={loading}>
      <div className="mb-5 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="text-2xl">{t(gives ? 'dashboard.yourTasks' : 'dashboard.availableTasks')}</h2>
        {!gives && (
          <>
            <Badge tone="info" icon={Zap}>
              {t('dashboard.oneTap')}
            </Badge>
            <p className="text-sm text-ink-soft">{t('dashboard.oneTapHint')}</p>
          </>
        )}
        {total > tasks.length && (
          <p className="tabular ms-auto text-ink-soft">
            {t('dashboard.shownOf', { shown: formatNumber(tasks.length), total: formatNumber(total) })}
          </p>
        )}
      </div>
      {loading ? (
        <Loading />
      ) : failed ? (
        <ErrorState onRetry={onRetry} />
      ) : tasks.length + queued.length === 0 ? (
        <EmptyState
          icon={ClipboardList}
          title={t('dashboard.noTasks')}
          body={t(gives ? 'dashboard.noTasksGiver' : 'dashboard.noTasksDoer')}
          action={
            <Button asChild variant="secondary">
              <Link to={gives ? paths.postTask : browsePath()}>
                {t(gives ? 'dashboard.postTask' : 'dashboard.browse')}
              </Link>
            </Button>
          }
        />
      ) : (
        <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface">
          {queued.map(({ id, content, state, refusal }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-2 p-4 sm:px-5">
              <h3 dir="auto" className="cut-words text-lg leading-snug wrap-anywhere">
                {content.title}
              </h3>
              <Badge tone={refusal ? 'danger' : 'waiting'} icon={Clock3}>
                {refusal ?? t(`layout.outbox.state.${state === 'sending' ? 'sending' : 'waiting'}`)}
              </Badge>
            </li>
          ))}
          {tasks.map((task) => (
            <li key={task.id} className="relative transition-colors hover:bg-sunken/60">
              <TaskRow task={task} gives={gives} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function TaskRow({ task, gives }: { task: ListedTask; gives: boolean }) {
  const { t } = useTranslation()
  const applied = !gives && task.applicants > 0
  const accepts = !gives && !applied
  const isOver = !task.payment && (task.status === 'completed' || task.status === 'cancelled')
  return (
    <article className="grid gap-x-6 gap-y-2 p-4 sm:grid-cols-[1fr_auto] sm:items-center sm:px-5">
      <div className="min-w-0">
        <h3 dir="auto" className="cut-words text-lg leading-snug wrap-anywhere">
          {task.title}
        </h3>
        <p dir="auto" className="cut-words mt-0.5 line-clamp-1 text-ink-soft">
          {task.description}
        </p>
        <div className="mt-2 flex flex-wrap items-center gap-x-5 gap-y-2 text-sm text-ink-soft">
          <span className="flex items-center gap-1.5">
            <CategoryIcon category={task.category} className="size-4" />
            <span>{categoryText(t, task.category)}</span>
          </span>
          <span className="flex min-w-0 items-center gap-1.5">
            <MapPin aria-hidden className="size-4 shrink-0" />
            <span>{task.location}</span>
          </span>
          {applied && <Badge tone="info">{t('tasks.appliedBadge')}</Badge>}
          {gives && (
            <span className="flex flex-wrap items-center gap-2">
              {task.on_hold ? (
                <>
                  <Badge tone="waiting">{t('tasks.onHold.label')}</Badge>
                  <span>{t('ui.hidden.suspension')}</span>
                </>
              ) : (
                <Badge tone={tones[task.status]}>{t(`dashboard.status.${task.status}`)}</Badge>
              )}
              {task.status === 'open' && (
                <Badge tone={task.applicants > 0 ? 'waiting' : 'neutral'} icon={Users}>
                  {t('dashboard.applicants', { count: task.applicants })}
                </Badge>
              )}
            </span>
          )}
        </div>
      </div>
      <div className="flex items-center justify-between gap-4 sm:flex-col sm:items-end">
        <PriceFigure
          price={
            task.payment
              ? withExtras(priceOfPayment(task.payment), task.payment.changes)
              : priceOf(task.agreed ?? task.pay_amount)
          }
          reader={isOver ? 'over' : gives ? 'giver' : 'tasker'}
          moved={movedTotal(task.payment, task.payment?.changes ?? [], gives ? 'giver' : 'tasker')}
          size="large"
          className="sm:text-end"
        />
        <Button asChild size="sm" variant="secondary">
          <Link
            to={taskPath(task.id)}
            aria-label={t(accepts ? 'dashboard.acceptTaskNamed' : 'dashboard.viewDetailsOf', {
              title: task.title,
            })}
          >
            {t(accepts ? 'dashboard.acceptTask' : 'dashboard.viewDetails')}
          </Link>
        </Button>
      </div>
    </article>
  )
}

function Loading() {
  return (
    <div className="divide-y divide-line rounded-lg border border-line bg-surface">
      {[1, 2, 3, 4, 5].map((row) => (
        <div key={row} className="flex flex-col gap-2 p-4 sm:px-5">
          <Skeleton className="h-6 w-2/3" />
          <Skeleton className="h-5 w-full" />
          <Skeleton className="mt-1 h-6 w-1/2" />
          <Skeleton className="h-9 w-full sm:hidden" />
        </div>
      ))}
    </div>
  )
}
