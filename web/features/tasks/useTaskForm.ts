// The form of a task that is posted or changed: its first values, its draft and its steps.
import { useState } from 'react'
import { useNavigationType } from 'react-router'
import { readDraft } from '../../lib/drafts.ts'
import type { Waiting } from '../../lib/outbox.ts'
import { dropWaitingTask, taskDraft, waitingTaskPath } from '../../lib/taskBeforeSignUp.ts'
import { useZodForm } from '../../ui/form/useZodForm.ts'
import { useNarrow } from '../../ui/windowWidth.ts'
import type { TaskDetails } from './api/queries.ts'
import {
  changedTaskForm,
  changedTaskSchema,
  furthestPostingStep,
  newTaskForm,
  postingStepSchema,
  type TaskForm,
  taskSchema,
} from './schema.ts'
import { usePostingPlace, usePostingSteps } from './usePostingSteps.ts'

export type TaskFormOptions = {
  /** Undefined for somebody who has no account yet: they write first and sign up then. */
  user: { id: string; email?: string | undefined } | undefined
  /** Initial value of the form. */
  category?: string | undefined
  /** The title to begin with; one that was typed here before stays. */
  title?: string | undefined
  /**
   * A time to begin with, as inputs have it. One that was just chosen replaces the draft's; on the way back here, and after a reload, the
   * draft's stays.
   */
  at?: string | undefined
  /** How long the work takes from then on. */
  minutes?: number | undefined
  /** A past task that is posted again. */
  repeated?: { id: string; task: Partial<TaskForm> } | undefined
  /** An open task that is changed. */
  changed?: TaskDetails
  /** The person's queued task, changed before it is sent. */
  waiting?: Waiting<'task'> | undefined
}

const USUAL_MINUTES = 60

export type TaskFormState = ReturnType<typeof useTaskForm>

export function useTaskForm({
  user,
  category = '',
  title = '',
  at,
  minutes,
  repeated,
  changed,
  waiting,
}: TaskFormOptions) {
  // Somebody who changes a task mostly changes one thing, and everything in it is right already: no steps there.
  const stepped = useNarrow() && !changed
  const begin = (): TaskForm =>
    changed
      ? changedTaskForm({ ...changed, address: changed.address?.address ?? '' })
      : {
          ...newTaskForm(),
          category,
          title,
          ...(at && { scheduled_date: at, duration_minutes: String(minutes ?? USUAL_MINUTES) }),
          ...repeated?.task,
          ...waiting?.content.form,
        }
  const of = repeated?.id ?? waiting?.id
  const draft = of ? `${taskDraft(user?.id)}:${of}` : taskDraft(user?.id)
  const [titled] = useState(() => title !== '' && !readDraft<TaskForm>(draft)?.title?.trim())
  const arrival = useNavigationType()
  const [timed] = useState(
    () => at !== undefined && (arrival === 'PUSH' || !readDraft<TaskForm>(draft)?.scheduled_date),
  )
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
    overrides: {
      ...(titled && { title }),
      ...(timed && at && { scheduled_date: at, ...(minutes && { duration_minutes: String(minutes) }) }),
    },
    draft: changed ? `change-task:${user?.id}:${changed.id}` : draft,
  })
  const steps = usePostingSteps(place, form)
  const [startedOver, setStartedOver] = useState(false)
  /** It was written before signing up, and waits to be posted. */
  const waited = user !== undefined && !of && !changed && waitingTaskPath(user.email) !== null
  const dropDraft = () => {
    form.dropDraft()
    if (waited) dropWaitingTask(user.email)
  }
  const startOver = () => {
    form.reset(begin())
    dropDraft()
    setStartedOver(true)
    place.goTo(0)
  }
  return { form, place, steps, waited, startedOver, startOver, dropDraft }
}
