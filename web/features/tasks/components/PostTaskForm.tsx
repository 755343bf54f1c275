// The form of a new or changed task, with a preview of its card and the fees next to it.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { readDraft } from '../../../lib/drafts.ts'
import { errorText, isUncertain } from '../../../lib/errorText.ts'
import { addToOutbox, removeFromOutbox, type Waiting } from '../../../lib/outbox.ts'
import { paths, taskPath } from '../../../lib/paths.ts'
import { askAboutPush } from '../../../lib/pushQuestion.ts'
import { supabase } from '../../../lib/supabase.ts'
import { dropWaitingTask, taskDraft, waitingTaskPath } from '../../../lib/taskBeforeSignUp.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { refusedField, showRefusedField } from '../../../ui/form/refusedField.ts'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { StepStrip } from '../../../ui/StepStrip.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { useNarrow } from '../../../ui/useNarrow.ts'
import { changeTask, postTask } from '../api/actions.ts'
import type { AskedTasker } from '../api/posting.ts'
import { type TaskDetails, waitingApplicationsQuery } from '../api/queries.ts'
import {
  changedTaskForm,
  changedTaskSchema,
  furthestPostingStep,
  type NewTask,
  newTaskForm,
  postingStepSchema,
  type TaskForm,
  taskSchema,
} from '../schema.ts'
import { usePostingPlace, usePostingSteps } from '../usePostingSteps.ts'
import { AskingFirst } from './AskedFirst.tsx'
import { CardPreview } from './PostTaskPreview.tsx'
import { PaySection, WhatSection, WhereSection } from './PostTaskSections.tsx'

type PostTaskFormProps = {
  /** Undefined for somebody who has no account yet: they write first and sign up then. */
  user: { id: string; email?: string | undefined } | undefined
  /** A valid task cannot be posted without an account. */
  onStranger?: () => void
  /** The tasker who is asked first. */
  asked?: AskedTasker | null
  onAskNobody?: () => void
  /** Initial value of the form. */
  category?: string | undefined
  /** The title to begin with; one that was typed here before stays. */
  title?: string | undefined
  /** A past task that is posted again. */
  repeated?: { id: string; task: Partial<TaskForm> }
  /** An open task that is changed. */
  changed?: TaskDetails
  /** An own task that waits to be sent, and is changed before. */
  waiting?: Waiting<'task'> | undefined
  /** Takes pictures that were shared with the app. */
  brought?: (() => Promise<File[]>) | undefined
}

export function PostTaskForm({
  user,
  onStranger,
  asked = null,
  onAskNobody,
  category = '',
  title = '',
  repeated,
  changed,
  waiting,
  brought,
}: PostTaskFormProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  // Somebody who changes a task mostly changes one thing, and everything in it is right already: no steps there.
  const stepped = useNarrow() && !changed
  const begin = (): TaskForm =>
    changed
      ? changedTaskForm({ ...changed, address: changed.address?.address ?? '' })
      : { ...newTaskForm(), category, title, ...repeated?.task, ...waiting?.content.form }
  const of = repeated?.id ?? waiting?.id
  const draft = of ? `${taskDraft(user?.id)}:${of}` : taskDraft(user?.id)
  const [titled] = useState(() => title !== '' && !readDraft<TaskForm>(draft)?.title?.trim())
  const place = usePostingPlace(stepped, () => {
    const kept = titled ? null : readDraft<TaskForm>(draft)
    return kept ? furthestPostingStep({ ...begin(), ...kept }) : 0
  })
  const { step } = place
  const rules = changed
    ? changedTaskSchema(changed.scheduled_date)
    : step === null
      ? taskSchema
      : postingStepSchema(step)
  const form = useZodForm(rules, {
    defaultValues: begin(),
    ...(titled && { overrides: { title } }),
    draft: changed ? `change-task:${user?.id}:${changed.id}` : draft,
  })
  const steps = usePostingSteps(place, form)
  const [startedOver, setStartedOver] = useState(false)
  const waited = user !== undefined && !of && !changed && waitingTaskPath(user.email) !== null
  const dropDraft = () => {
    form.dropDraft()
    if (waited) dropWaitingTask(user.email)
  }
  const applied = useQuery({ ...waitingApplicationsQuery(changed?.id ?? ''), enabled: changed !== undefined })

  const posting = useAction(changed ? changeTask(changed.id) : postTask, {
    onSuccess: (id) => {
      dropDraft()
      removeFromOutbox(id)
      if (changed) {
        toast.success(t('tasks.changed'))
        navigate(taskPath(changed.id), { replace: true })
        return
      }
      toast.success(t('tasks.posted'), {
        ...(asked && { description: t('tasks.postedAsked', { name: asked.full_name }) }),
        action: { label: t('tasks.viewDetails'), onClick: () => navigate(taskPath(id)) },
      })
      if (user) askAboutPush({ userId: user.id, moment: 'posted', name: asked?.full_name ?? null })
      // Back leads to where one came from, not to the end of an empty form.
      place.leaveTo(paths.dashboard)
    },
    onError: (error, task) => {
      if (!changed && isUncertain(error)) return waitToBeSent(task, true)
      toast.error(t('tasks.error'), { description: errorText(error) })
      showRefusedField(form, error)
      const field = refusedField(form, error)
      if (field) steps.showField(field)
    },
  })

  /** Without a fixed id it could be created twice. */
  const waitToBeSent = async ({ id, title }: Pick<NewTask, 'id' | 'title'>, mayHaveArrived = false) => {
    if (!user || !id) return toast.error(t('tasks.error'), { description: t('errors.offline') })
    const content = { title, form: form.getValues(), giverId: user.id, asked }
    await addToOutbox({ kind: 'task', id, content, mayHaveArrived })
    dropDraft()
    toast.info(t('tasks.waits'), { description: t('tasks.waitsBody') })
    place.leaveTo(paths.dashboard)
  }

  const submit = async (task: NewTask) => {
    if (user && !changed && !navigator.onLine) return waitToBeSent(task)
    const { data } = await supabase.auth.getSession()
    if (data.session) {
      posting.mutate({ ...task, task_giver_id: data.session.user.id, asked_tasker_id: asked?.id ?? null })
    } else onStranger?.()
  }

  const startOver = () => {
    form.reset(begin())
    dropDraft()
    setStartedOver(true)
    place.goTo(0)
  }

  const view = (at: number) => ({ hidden: step !== null && step !== at, asStep: step !== null })
  return (
    <Form
      form={form}
      submission={posting}
      onSubmit={submit}
      onInvalid={steps.showFirst}
      onContinue={steps.advance}
      className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-12 gap-y-8 max-sm:flex max-sm:flex-col max-sm:items-stretch max-sm:gap-y-5 lg:grid-cols-[minmax(0,1fr)_23rem]"
    >
      <div ref={steps.parts} onChange={steps.onChange} className="flex min-w-0 flex-col gap-10 max-sm:gap-5">
        {step !== null && (
          <StepStrip
            label={t('tasks.postSteps')}
            names={[t('tasks.stepWhat'), t('tasks.sectionWhere'), t('tasks.stepPrice')]}
            step={step}
          />
        )}
        {asked && !step && onAskNobody && <AskingFirst tasker={asked} onAskNobody={onAskNobody} />}
        {(applied.data ?? 0) > 0 && (
          <p className="rounded-md bg-wheat-soft px-4 py-3">
            {t('tasks.changingTells', { count: applied.data ?? 0 })}
          </p>
        )}
        {repeated && !step && !form.keptDraft && (
          <p className="rounded-md bg-sky-soft px-4 py-3">{t('tasks.repeated')}</p>
        )}
        {form.keptDraft && !startedOver && (step === null || step === place.began) && (
          <p className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded-md bg-sky-soft px-4 py-3">
            <span>{t(waited ? 'tasks.taskWaits' : changed ? 'tasks.changesKept' : 'tasks.draftKept')}</span>
            {/* People who wrote it before signing up have read it to its end already. */}
            <span className="flex flex-wrap items-center gap-x-6 gap-y-2">
              {waited && !steps.advance && (
                <SubmitButton size="sm" loading={posting.isPending || posting.isSuccess}>
                  {t('tasks.postTask')}
                </SubmitButton>
              )}
              <Button variant="link" onClick={startOver}>
                {t('tasks.clearDraft')}
              </Button>
            </span>
          </p>
        )}
        <WhatSection userId={user?.id} brought={brought} {...view(0)} />
        <WhereSection {...view(1)} />
        <PaySection tasker={asked?.full_name} {...view(2)} />
      </div>
      <aside className="flex flex-col gap-6 max-sm:contents lg:sticky lg:top-24">
        <CardPreview review={step !== null && !steps.advance} />
        <div className="flex flex-col gap-3 max-sm:contents">
          {/* On a phone the thumb has them at hand, however far the page is scrolled. */}
          <div className="foot-bar flex flex-col gap-3 max-sm:sticky max-sm:bottom-0 max-sm:z-20 max-sm:-mx-4 max-sm:border-t max-sm:border-line max-sm:bg-paper max-sm:px-4 max-sm:pt-2.5 max-sm:pb-[max(0.625rem,env(safe-area-inset-bottom))]">
            {/* A refusal of the whole task, such as a limit; that of a field is shown there. */}
            {!refusedField(form, posting.error) && <SubmissionError />}
            <div className="flex gap-3">
              {steps.back && (
                <Button variant="secondary" size="lg" onClick={steps.back} disabled={posting.isPending}>
                  {t('ui.back')}
                </Button>
              )}
              <SubmitButton
                size="lg"
                className="min-w-0 flex-1 shrink"
                loading={posting.isPending || posting.isSuccess}
              >
                {changed
                  ? t('tasks.saveChanges')
                  : steps.advance
                    ? t('ui.continue')
                    : asked
                      ? t('tasks.ask', { name: asked.full_name })
                      : t('tasks.postTask')}
              </SubmitButton>
            </div>
          </div>
          <Button asChild variant="ghost">
            <Link to={changed ? taskPath(changed.id) : user ? paths.dashboard : paths.landing}>
              {t('ui.cancel')}
            </Link>
          </Button>
        </div>
      </aside>
    </Form>
  )
}
