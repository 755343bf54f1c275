// A tasker's part of the task screen: applying, or the state of their application.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useRef, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { errorText, isUncertain } from '../../../lib/errorText.ts'
import { formatMoney } from '../../../lib/format.ts'
import type { Waiting } from '../../../lib/outbox.ts'
import { addToOutbox, removeFromOutbox, useWaiting } from '../../../lib/outbox.ts'
import { browsePath, paths, WAITING_PARAMETER } from '../../../lib/paths.ts'
import { askAboutPush } from '../../../lib/pushQuestion.ts'
import { useHolds } from '../../../lib/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { classes } from '../../../ui/classes.ts'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { applyToTask } from '../api/actions.ts'
import type { Task } from '../api/openTasks.ts'
import { myApplicationQuery } from '../api/queries.ts'
import { applicationDraft, applicationSchema } from '../schema.ts'
import { ApplicationMessage } from './ApplicationMessage.tsx'
import { AskedOfYou } from './AskedFirst.tsx'
import { ClashNote } from './ClashNote.tsx'
import { HeadAction } from './HeadAction.tsx'
import { ChangedLimit } from './LimitNotes.tsx'
import { MyApplication } from './MyApplication.tsx'
import { OfferPanel } from './OfferPanel.tsx'
import { SavedTexts } from './SavedTexts.tsx'
import { WaitingApplication } from './WaitingApplication.tsx'

/** The part below the pay, behind a dashed line. */
const VisitClashes = lazy(() => import('./VisitClashes.tsx'))

export const ASIDE_CLASSES = 'border-t border-dashed border-line-strong/50 p-5'

type ApplyPanelProps = {
  task: Task
  userId: string
  /** The element of the page's head for the action. */
  head: HTMLElement | null
}

export function ApplyPanel({ task, userId, head }: ApplyPanelProps) {
  const { t } = useTranslation()
  const application = useQuery(myApplicationQuery(task.id, userId))
  const latest = application.data
  const free = (task.status === 'open' || task.status === 'asked') && !task.on_hold
  const waiting = useWaiting('application').find(({ content }) => content.taskId === task.id)
  const [address] = useSearchParams()
  const [editing, setEditing] = useState(address.has(WAITING_PARAMETER))
  const [offering, setOffering] = useState(false)
  const mayApply = !latest || latest.status === 'cancelled' || latest.passed_over

  // Without a network nobody knows whether they have applied; the database does, once it is sent.
  if (application.isPending && !application.isPaused) {
    return (
      <div aria-busy className={ASIDE_CLASSES}>
        <Skeleton className="h-28" />
      </div>
    )
  }
  if (application.isLoadingError && !application.isPaused) {
    return <ErrorState error={application.error} onRetry={application.refetch} className="p-5" />
  }
  if (latest && !(mayApply && free)) {
    return <MyApplication application={latest} task={task} className={ASIDE_CLASSES} />
  }
  if (waiting && !(editing && free && !waiting.mayHaveArrived)) {
    return (
      <section className={ASIDE_CLASSES}>
        <WaitingApplication application={waiting} onEdit={free ? () => setEditing(true) : null} />
      </section>
    )
  }
  if (!free) {
    return (
      <section className={ASIDE_CLASSES}>
        {/* Of one that is on hold the page says so above. */}
        <p className="font-semibold">{t(task.on_hold ? 'tasks.onHold.title' : 'tasks.taken')}</p>
        {!task.on_hold && <p className="text-ink-soft">{t('tasks.takenBody')}</p>}
        <Button asChild variant="secondary" className="mt-4 w-full">
          <Link to={browsePath({ category: task.category })}>{t('tasks.findAnother')}</Link>
        </Button>
      </section>
    )
  }
  if (offering && task.offers_allowed) {
    return (
      <OfferPanel task={task} userId={userId} className={ASIDE_CLASSES} onBack={() => setOffering(false)} />
    )
  }
  return (
    <ApplyForm
      task={task}
      userId={userId}
      head={head}
      waiting={waiting}
      onWaiting={() => setEditing(false)}
      onOffer={() => setOffering(true)}
    />
  )
}

type ApplyFormProps = ApplyPanelProps & {
  /** The waiting application that is being changed. */
  waiting: Waiting<'application'> | undefined
  onWaiting: () => void
  /** The tasker wants another price. */
  onOffer: () => void
}

/** The form's values and draft, and sending them. Without a connection the application waits in the outbox. */
function useApplication({ task, userId, waiting, onWaiting }: Omit<ApplyFormProps, 'head' | 'onOffer'>) {
  const { id: taskId, pay_amount: amount, expense_limit: expenses } = task
  const { t } = useTranslation()
  const navigate = useNavigate()
  const works = useHolds('task_doer')
  const form = useZodForm(applicationSchema, {
    defaultValues: { message: waiting?.content.message ?? '' },
    draft: applicationDraft(taskId, userId),
  })

  // One application, however often it is sent. Only secure pages can make ids; elsewhere the database does.
  const [id] = useState(() => waiting?.id ?? crypto.randomUUID?.() ?? '')
  const waitToBeSent = async ({ message }: { message: string }, mayHaveArrived = false) => {
    if (!id) return toast.error(t('tasks.error'), { description: t('errors.offline') })
    const content = { taskId, title: task.title, taskerId: userId, amount, expenses, message }
    await addToOutbox({ kind: 'application', id, content, mayHaveArrived })
    form.dropDraft()
    onWaiting()
  }

  const applying = useAction(applyToTask({ id, taskId, userId, amount, expenses }), {
    onSuccess: () => {
      removeFromOutbox(id)
      form.dropDraft()
      toast.success(t('tasks.applied'))
      askAboutPush({ userId, moment: 'applied', name: task.giver?.full_name ?? null })
      navigate(paths.bookings)
    },
    onError: (error, application) => {
      if (isUncertain(error)) waitToBeSent(application, true)
      else toast.error(t('tasks.error'), { id: 'apply-failed', description: errorText(error) })
    },
  })

  const submit = (application: { message: string }) => {
    if (works) {
      if (!navigator.onLine) return waitToBeSent(application)
      applying.mutate(application)
    } else toast.error(t('tasks.onlyDoersApply'))
  }
  return { form, applying, submit }
}

function ApplyForm({ head, onOffer, ...props }: ApplyFormProps) {
  const { task, userId } = props
  const { pay_amount: amount, expense_limit } = task
  const { t } = useTranslation()
  const { form, applying, submit } = useApplication(props)
  const message = useWatch({ control: form.control, name: 'message' })
  // The price may change while somebody writes. A note next to the button says so, and the button shows the new price.
  const [seen] = useState(amount)
  const changed = amount !== seen
  const section = useRef<HTMLElement>(null)
  return (
    <section ref={section} aria-labelledby="apply-title" className={classes(ASIDE_CLASSES, 'scroll-mt-24')}>
      {task.status === 'asked' && <AskedOfYou task={task} userId={userId} />}
      <h2 id="apply-title" className="mb-4 text-xl">
        {t('tasks.applyTitle')}
      </h2>
      {task.repeats ? (
        <Suspense>
          <VisitClashes taskId={task.id} />
        </Suspense>
      ) : (
        <ClashNote task={task} />
      )}
      {/* Not inside of the form: React hands what is submitted in their dialogs on to a form around them. */}
      <SavedTexts
        userId={userId}
        text={message}
        onChoose={(text) => form.setValue('message', text, { shouldDirty: true, shouldValidate: true })}
      />
      <Form form={form} submission={applying} className="flex flex-col gap-4" onSubmit={submit}>
        <ApplicationMessage />
        <ChangedLimit now={expense_limit} />
        {changed ? (
          <p role="status" className="rounded-md bg-wheat-soft p-3">
            {t('tasks.priceChanged', {
              before: formatMoney(seen, { exact: true }),
              now: formatMoney(amount, { exact: true }),
            })}
          </p>
        ) : (
          <SubmissionError />
        )}
        <SubmitButton size="lg" loading={applying.isPending || applying.isSuccess}>
          {changed ? t('tasks.applyFor', { amount: formatMoney(amount, { exact: true }) }) : t('tasks.apply')}
        </SubmitButton>
        {task.offers_allowed && !props.waiting && (
          <Button variant="secondary" onClick={onOffer}>
            {t('applying.offer.open')}
          </Button>
        )}
        {!task.offers_allowed && task.status === 'open' && (
          <p className="text-sm text-ink-soft">{t('applying.offer.notTaken')}</p>
        )}
      </Form>
      <HeadAction place={head}>
        <Button asChild>
          <Link
            to="#apply-title"
            onClick={(event) => {
              // The address stays as it is, and the field is ready to be written in.
              event.preventDefault()
              section.current?.scrollIntoView({ block: 'start' })
              form.setFocus('message')
            }}
          >
            {t('tasks.apply')}
          </Link>
        </Button>
      </HeadAction>
    </section>
  )
}
