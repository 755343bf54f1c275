// Posting a task or saving its changes. Without a connection a new task waits in the outbox.
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { errorText, isUncertain } from '../../lib/errorText.ts'
import { addToOutbox, removeFromOutbox } from '../../lib/outbox.ts'
import { paths, taskPath } from '../../lib/paths.ts'
import { askAboutPush } from '../../lib/pushQuestion.ts'
import { supabase } from '../../lib/supabase.ts'
import { refusedField, showRefusedField } from '../../ui/form/refusedField.ts'
import { toast } from '../../ui/Toaster.tsx'
import { useAction } from '../../ui/useAction.ts'
import { changeTask, postTask } from './api/actions.ts'
import type { AskedTasker } from './api/posting.ts'
import type { NewTask } from './schema.ts'
import { usePointCheck } from './usePointCheck.ts'
import type { TaskFormOptions, TaskFormState } from './useTaskForm.ts'

export type SubmissionOptions = Pick<TaskFormOptions, 'user' | 'changed'> & {
  /** The tasker who is asked first. */
  asked?: AskedTasker | null
  /** A valid task cannot be posted without an account. */
  onStranger?: () => void
}

export function useTaskSubmission(
  { user, changed, asked = null, onStranger }: SubmissionOptions,
  { form, place, steps, dropDraft }: TaskFormState,
) {
  const { t } = useTranslation()
  const navigate = useNavigate()
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

  /** Needs the task's id: without one, sending it twice would post it twice. */
  const waitToBeSent = async ({ id, title }: Pick<NewTask, 'id' | 'title'>, mayHaveArrived = false) => {
    if (!user || !id) return toast.error(t('tasks.error'), { description: t('errors.offline') })
    const content = { title, form: form.getValues(), giverId: user.id, asked }
    await addToOutbox({ kind: 'task', id, content, mayHaveArrived })
    dropDraft()
    toast.info(t('tasks.waits'), { description: t('tasks.waitsBody') })
    place.leaveTo(paths.dashboard)
  }

  const points = usePointCheck((message) => {
    form.setError('point', { message }, { shouldFocus: true })
    steps.showField('point')
  })
  const submit = async (task: NewTask) => {
    if (await points.check(task)) await send(task)
  }
  const send = async (task: NewTask) => {
    if (user && !changed && !navigator.onLine) return waitToBeSent(task)
    const { data } = await supabase.auth.getSession()
    if (data.session) {
      posting.mutate({ ...task, task_giver_id: data.session.user.id, asked_tasker_id: asked?.id ?? null })
    } else onStranger?.()
  }
  const farPoint = {
    far: points.far,
    onClose: points.forget,
    onConfirm: (task: NewTask) => {
      points.forget()
      void send(task)
    },
  }
  return { posting, submit, farPoint }
}
