// The form of a new task, with a preview of its card and the fees beside it.
import { PostgrestError } from '@supabase/supabase-js'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { errorText } from '../../../lib/errorText.ts'
import { paths } from '../../../lib/paths.ts'
import { supabase } from '../../../lib/supabase.ts'
import { dropWaitingTask, taskDraft, waitingTaskPath } from '../../../lib/waitingTask.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { postTask } from '../api/actions.ts'
import type { AskedTasker } from '../api/posting.ts'
import { type NewTask, newTaskForm, type TaskForm, taskSchema } from '../schema.ts'
import { AskingFirst } from './AskedFirst.tsx'
import { CardPreview, FeePreview } from './PostTaskPreview.tsx'
import { PaySection, WhatSection, WhereSection } from './PostTaskSections.tsx'

type PostTaskFormProps = {
  /** Undefined for somebody who has no account yet: they write first and sign up then. */
  user: { id: string; email?: string | undefined } | undefined
  /** A valid task cannot be posted without an account. */
  onStranger: () => void
  /** The tasker who is asked first. */
  asked: AskedTasker | null
  onAskNobody: () => void
  /** What the form begins with. */
  category?: string | undefined
  /** A past task that is posted again. */
  repeated?: { id: string; task: Partial<TaskForm> }
}

export function PostTaskForm({
  user,
  onStranger,
  asked,
  onAskNobody,
  category = '',
  repeated,
}: PostTaskFormProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const form = useZodForm(taskSchema, {
    defaultValues: { ...newTaskForm(), category, ...repeated?.task },
    draft: repeated ? `${taskDraft(user?.id)}:${repeated.id}` : taskDraft(user?.id),
  })
  const [startedOver, setStartedOver] = useState(false)
  const waited = user !== undefined && !repeated && waitingTaskPath(user.email) !== null
  const dropDraft = () => {
    form.dropDraft()
    if (waited) dropWaitingTask(user.email)
  }

  const posting = useAction(postTask, {
    onSuccess: () => {
      dropDraft()
      toast.success(
        t('tasks.posted'),
        asked ? { description: t('tasks.postedAsked', { name: asked.full_name }) } : undefined,
      )
      navigate(paths.dashboard)
    },
    onError: (error) => {
      toast.error(t('tasks.error'), { description: errorText(error) })
      // The database names the field that it refused.
      const field = error instanceof PostgrestError ? error.hint : ''
      if (field && field in form.getValues()) {
        form.setError(field as keyof TaskForm, { message: error.message }, { shouldFocus: true })
      }
    },
  })

  const submit = async (task: NewTask) => {
    const { data } = await supabase.auth.getSession()
    if (data.session) {
      posting.mutate({ ...task, task_giver_id: data.session.user.id, asked_tasker_id: asked?.id ?? null })
    } else onStranger()
  }

  const startOver = () => {
    form.reset({ ...newTaskForm(), ...repeated?.task })
    dropDraft()
    setStartedOver(true)
  }

  return (
    <Form
      form={form}
      submission={posting}
      onSubmit={submit}
      className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-12 gap-y-8 lg:grid-cols-[minmax(0,1fr)_23rem]"
    >
      <div className="flex min-w-0 flex-col gap-10">
        {asked && <AskingFirst tasker={asked} onAskNobody={onAskNobody} />}
        {repeated && !form.keptDraft && (
          <p className="rounded-md bg-sky-soft px-4 py-3">{t('tasks.repeated')}</p>
        )}
        {form.keptDraft && !startedOver && (
          <p className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded-md bg-sky-soft px-4 py-3">
            {t(waited ? 'tasks.taskWaits' : 'tasks.draftKept')}
            <Button variant="link" onClick={startOver}>
              {t('tasks.clearDraft')}
            </Button>
          </p>
        )}
        <WhatSection />
        <WhereSection />
        <PaySection />
      </div>
      <aside className="flex flex-col gap-6 lg:sticky lg:top-24">
        <CardPreview />
        <FeePreview />
        <div className="flex flex-col gap-3">
          <SubmitButton size="lg" loading={posting.isPending || posting.isSuccess}>
            {asked ? t('tasks.ask', { name: asked.full_name }) : t('tasks.postTask')}
          </SubmitButton>
          <Button asChild variant="ghost">
            <Link to={user ? paths.dashboard : paths.landing}>{t('ui.cancel')}</Link>
          </Button>
        </div>
      </aside>
    </Form>
  )
}
