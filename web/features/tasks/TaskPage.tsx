// /task/{id}: everything about one task, its giver, and applying to it (specification 001 §2, §8).
import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, FileQuestion } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import type { Cents } from '../../../shared/money.ts'
import { categoryText } from '../../lib/categoryText.ts'
import { errorText, isUncertain } from '../../lib/errorText.ts'
import { formatDate } from '../../lib/format.ts'
import { useLive } from '../../lib/live.ts'
import { paths } from '../../lib/paths.ts'
import type { PaymentWithChanges } from '../../lib/queries/changes.ts'
import { ownBookings } from '../../lib/queries/ownBookings.ts'
import { visitText } from '../../lib/repeats.ts'
import { type Roles, useRoleQuery, useRoles, useSession, useUserId } from '../../lib/session.tsx'
import { useTitle } from '../../lib/title.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { CategoryIcon } from '../../ui/CategoryIcon.tsx'
import { HiddenNotice } from '../../ui/HiddenNotice.tsx'
import { Page } from '../../ui/Page.tsx'
import { PhotoGrid } from '../../ui/photos/PhotoGrid.tsx'
import { ReportButton } from '../../ui/ReportButton.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { useAddRole, useOpenedSide, useRoleSwitch } from '../../ui/useRoleSwitch.ts'
import {
  agreedPriceQuery,
  myApplicationQuery,
  type TaskDetails,
  taskPaymentQuery,
  taskQuery,
  type Visit,
  visitQuery,
} from './api/queries.ts'
import { hasSavedSearchesQuery, noteSeenTask } from './api/savedSearches.ts'
import { ApplyPanel, ASIDE_CLASSES } from './components/ApplyPanel.tsx'
import { GiverCard } from './components/GiverCard.tsx'
import { OnHoldNotice } from './components/OnHoldNotice.tsx'
import { OwnTaskPanel } from './components/OwnTaskPanel.tsx'
import { Questions } from './components/Questions.tsx'
import { ApplicationsCount } from './components/TaskCard.tsx'
import { NamedFacts } from './components/TaskFacts.tsx'
import { TaskPrice, TaskPriceFigure } from './components/TaskPrice.tsx'

const RepeatSection = lazy(() => import('./components/RepeatSection.tsx'))

export default function TaskPage() {
  const { t } = useTranslation()
  const { id = '' } = useParams()
  const navigate = useNavigate()
  const role = useRoleQuery()
  const roles = useRoles()
  const { user } = useSession()
  const task = useQuery(taskQuery(id, user?.id))
  const payment = useQuery(taskPaymentQuery(id, user?.id))
  const agreed = useQuery({ ...agreedPriceQuery(id, user?.id), enabled: isTaken(task.data) })
  const visit = useQuery({ ...visitQuery(id, user?.id), enabled: Boolean(user && task.data?.series_id) })
  useTitle(task.data?.title ?? (task.data === null ? t('tasks.notFound') : undefined))

  // After a lost connection the page stays, and reads the task again.
  const failure = task.isLoadingError && !isUncertain(task.error) ? task.error : null
  useEffect(() => {
    if (!failure) return
    toast.error(t('tasks.error'), { id: 'task-failed', description: errorText(failure) })
    navigate(paths.browse, { replace: true })
  }, [failure, navigate, t])

  if (task.data === null) return <NotFound />
  if (!task.data && !failure && (task.isPaused || task.isLoadingError)) {
    return (
      <Page width="narrow">
        <ErrorState onRetry={task.refetch} />
      </Page>
    )
  }
  if (!task.data || role.isPending || payment.isLoading || agreed.isLoading || visit.isLoading)
    return <Loading />
  const price = agreed.data?.agreed_amount ?? task.data.pay_amount
  const expenses = (agreed.data ?? task.data).expense_limit ?? null
  return (
    <TaskDetail
      task={task.data}
      payment={payment.data ?? null}
      price={price}
      visit={visit.data ?? null}
      expenses={expenses}
      roles={roles}
    />
  )
}

/** A booking may have another price than the task. */
const isTaken = (task: TaskDetails | null | undefined) =>
  task?.status === 'assigned' || task?.status === 'completed'

type TaskDetailProps = {
  task: TaskDetails
  payment: PaymentWithChanges | null
  /** Before fees: as agreed, or else as posted. */
  price: Cents
  /** The limit for expenses on top of the price: as agreed, or else as posted. */
  expenses: Cents | null
  visit: Visit
  roles: Roles | undefined
}

function TaskDetail({ task, payment, price, expenses, visit, roles }: TaskDetailProps) {
  const userId = useUserId()
  const [head, setHead] = useState<HTMLElement | null>(null)
  const own = task.task_giver_id === userId
  const isDoer = roles?.active === 'task_doer' && !own
  const mayDo = !own && roles?.held.includes('task_doer') === true
  const [address] = useSearchParams()
  // The person's own application, a request to them or an alert is shown on the tasker side.
  const application = useQuery({ ...myApplicationQuery(task.id, userId), enabled: mayDo && !isDoer })
  const isForTasker =
    task.asked_tasker_id === userId || application.data || address.get('side') === 'task_doer'
  useOpenedSide(mayDo && isForTasker ? 'task_doer' : null)
  const mayBeNews = !own && task.status === 'open'
  const searches = useQuery({ ...hasSavedSearchesQuery(userId), enabled: mayBeNews })
  const isNews = mayBeNews && searches.data === true
  useEffect(() => {
    if (isNews) void noteSeenTask(task.id)
  }, [task.id, isNews])
  const isOver = !payment && (task.status === 'completed' || task.status === 'cancelled')
  const reader = isOver ? 'over' : own ? 'giver' : isDoer ? 'tasker' : 'other'
  const money = { task, payment, price, expenses, reader } as const
  useLive([
    { table: 'tasks', rows: `id=eq.${task.id}`, refresh: [['tasks', 'one', task.id]] },
    ...ownBookings(userId),
  ])
  return (
    <Page className="in-order">
      <BackButton />
      {own && <HiddenNotice kind="task" id={task.id} />}
      {task.on_hold && <OnHoldNotice own={own} />}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-12 gap-y-8 lg:grid-cols-[minmax(0,1fr)_23rem]">
        <article className="flex min-w-0 flex-col gap-8">
          <header>
            <CategoryAndState task={task} visit={visit} own={own} />
            <h1 className="mt-3 text-3xl wrap-anywhere sm:text-4xl">
              <bdi>{task.title}</bdi>
            </h1>
            {/* The panel with the payment comes last in one column. */}
            <TaskPriceFigure {...money} className="mt-3 lg:hidden" />
            <div ref={setHead} className="contents" />
          </header>
          <Work task={task} visit={visit} price={price} />
          <NamedFacts task={{ ...task, expense_limit: expenses, address: task.address?.address ?? null }} />
          <Questions task={task} userId={userId} mayDo={mayDo} />
        </article>
        <aside className="flex min-w-0 flex-col gap-5 lg:sticky lg:top-24">
          <section className="rounded-lg border border-line bg-surface">
            <TaskPrice {...money} />
            {own ? (
              <OwnTaskPanel task={task} head={head} />
            ) : isDoer ? (
              <ApplyPanel task={task} userId={userId} head={head} />
            ) : (
              roles &&
              (mayDo || roles.active === 'task_giver') &&
              task.status === 'open' &&
              !task.on_hold && <TaskersApply switches={mayDo} />
            )}
          </section>
          {task.giver && !own && <GiverCard giver={task.giver} />}
          {!own && <ReportButton kind="task" subject={task.id} className="mt-3" />}
        </aside>
      </div>
    </Page>
  )
}

/** The description, the visits of a repeat, and photos. */
function Work({ task, visit, price }: Pick<TaskDetailProps, 'task' | 'visit' | 'price'>) {
  const { t } = useTranslation()
  return (
    <>
      <section>
        <h2 className="mb-2 text-xl">{t('tasks.description')}</h2>
        <p dir="auto" className="max-w-prose text-lg whitespace-pre-line">
          {task.description}
        </p>
      </section>
      {/* Only the two people read the agreement. */}
      {(visit?.series || (task.repeats && !task.series_id)) && (
        <Suspense>
          <RepeatSection task={task} series={visit?.series} price={price} />
        </Suspense>
      )}
      {/* The files of a hidden task are for administrators alone. */}
      {task.photos.length > 0 && !task.hidden_for && (
        <section>
          <h2 className="mb-3 text-xl">{t('tasks.photos')}</h2>
          <PhotoGrid bucket="task-photos" names={task.photos} subject={task.title} layout="wide" />
        </section>
      )}
    </>
  )
}

function CategoryAndState({ task, visit, own }: Pick<TaskDetailProps, 'task' | 'visit'> & { own: boolean }) {
  const { t } = useTranslation()
  const number = visit && visitText(visit, t)
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-2 text-ink-soft">
      <span className="flex items-center gap-2 font-semibold">
        <CategoryIcon category={task.category} />
        <span>{categoryText(t, task.category)}</span>
      </span>
      <span>{t('tasks.postedOn', { date: formatDate(task.created_at) })}</span>
      {number && <span>{number}</span>}
      {/* Its giver reads below what to do about them. */}
      {task.on_hold ? (
        <Badge tone="waiting">{t('tasks.onHold.label')}</Badge>
      ) : task.status !== 'open' ? (
        <Badge>{t(`tasks.status.${task.status}`)}</Badge>
      ) : (
        !own && <ApplicationsCount count={task.applications_count} />
      )}
    </p>
  )
}

/** Shown to other givers in place of the application form. `switches`: they also hold the tasker role and need only switch. */
function TaskersApply({ switches }: { switches: boolean }) {
  const { t } = useTranslation()
  const switchTo = useRoleSwitch()
  const adding = useAddRole({ leads: false })
  return (
    <div className={ASIDE_CLASSES}>
      <p className="text-ink-soft">{t('tasks.taskersApply')}</p>
      {switches ? (
        <Button variant="secondary" className="mt-3 w-full" onClick={() => switchTo('task_doer')}>
          {t('tasks.applyAsTasker')}
        </Button>
      ) : (
        <>
          <Button
            variant="secondary"
            className="mt-3 w-full"
            loading={adding.isPending}
            onClick={() => adding.mutate('task_doer')}
          >
            {t('layout.side.add.task_doer')}
          </Button>
          <p className="mt-2 text-sm text-ink-faint">{t('layout.side.addHint.task_doer')}</p>
        </>
      )}
    </div>
  )
}

/** Back to where the person came from (their search intact), or to the list when they came by a link. */
function BackButton() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const cameFromHere = (window.history.state?.idx ?? 0) > 0
  return (
    <Button
      variant="ghost"
      className="-ms-2 mb-3 px-2 text-sky"
      onClick={() => (cameFromHere ? navigate(-1) : navigate(paths.browse))}
    >
      <ArrowLeft aria-hidden className="rtl:-scale-x-100" />
      <span>{t('tasks.back')}</span>
    </Button>
  )
}

function NotFound() {
  const { t } = useTranslation()
  return (
    <Page width="narrow">
      <h1 className="sr-only">{t('tasks.notFound')}</h1>
      <EmptyState
        icon={FileQuestion}
        title={t('tasks.notFound')}
        body={t('tasks.notFoundBody')}
        action={
          <Button asChild>
            <Link to={paths.browse}>{t('tasks.backToBrowse')}</Link>
          </Button>
        }
      />
    </Page>
  )
}

function Loading() {
  const { t } = useTranslation()
  return (
    <Page>
      <div aria-busy className="grid gap-x-12 gap-y-8 pt-12 lg:grid-cols-[minmax(0,1fr)_23rem]">
        <span role="status" className="sr-only">
          {t('ui.loading')}
        </span>
        <div className="flex flex-col gap-4">
          <Skeleton className="w-48" />
          <Skeleton className="h-10 w-4/5" />
          <Skeleton className="mt-6 w-full" />
          <Skeleton className="w-full" />
          <Skeleton className="w-2/3" />
        </div>
        <div className="flex flex-col gap-5">
          <Skeleton className="h-56 rounded-lg" />
          <Skeleton className="h-40 rounded-lg" />
        </div>
      </div>
    </Page>
  )
}
