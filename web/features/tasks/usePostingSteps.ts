// On a phone a new task is asked for in three steps, each a view of one part of the same form. The step is a place in the
// browser's history, so that its Back leads a step back and a reload keeps it.
import { useEffect, useRef, useState } from 'react'
import type { FieldErrors, Path, UseFormReturn } from 'react-hook-form'
import { useLocation, useNavigate } from 'react-router'
import { POSTING_STEPS, type TaskForm } from './schema.ts'

type Field = Path<TaskForm>
/** `depth`: how many entries below this one in the history are steps before it. */
type Place = { step?: number; depth?: number }
type Form = Pick<UseFormReturn<TaskForm>, 'trigger' | 'setFocus' | 'clearErrors'>

const LAST_STEP = POSTING_STEPS.length - 1
const stepOf = (field: Field) =>
  POSTING_STEPS.findIndex((fields) => fields.some((name) => name === field.split('.')[0]))

/** The current step. The form uses this step's schema. */
export function usePostingPlace(stepped: boolean, begin: () => number) {
  const navigate = useNavigate()
  const { pathname, search, state } = useLocation()
  const here = pathname + search
  const { step: named, depth = 0 } = (state ?? {}) as Place
  const [began] = useState(begin)
  const [current, setCurrent] = useState(began)
  if (named !== undefined && named !== current) setCurrent(named)
  useEffect(() => {
    if (stepped && named === undefined)
      navigate(here, { replace: true, state: { step: current }, preventScrollReset: true })
  }, [stepped, named, here, current, navigate])

  const goTo = (next: number) => {
    const steps = next - current
    if (steps > 0) navigate(here, { state: { step: next, depth: depth + steps } })
    else if (steps < 0 && depth >= -steps) navigate(steps)
    else if (steps < 0) navigate(here, { replace: true, state: { step: next } })
  }
  /** To another page, with no step left in the history. */
  const leaveTo = (path: string) => {
    const leave = () => navigate(path, { replace: true })
    if (!stepped || depth === 0) return leave()
    window.addEventListener('popstate', () => void leave(), { once: true })
    navigate(-depth)
  }
  return { step: stepped ? Math.min(current, LAST_STEP) : null, began, goTo, leaveTo }
}

/** Handlers for the buttons and errors of a form in steps; null if the whole form is shown at once. */
export function usePostingSteps(
  { step, goTo }: Pick<ReturnType<typeof usePostingPlace>, 'step' | 'goTo'>,
  form: Form,
) {
  const parts = useRef<HTMLDivElement>(null)
  const shown = useRef(step)
  const wanted = useRef<Field | null>(null)
  useEffect(() => {
    if (step === null || shown.current === step) {
      shown.current = step
      return
    }
    shown.current = step
    if (wanted.current) form.setFocus(wanted.current)
    // Each step is read from its heading on, also by those who do not see it change.
    else parts.current?.querySelector<HTMLElement>('section:not([hidden]) h2')?.focus({ preventScroll: true })
    wanted.current = null
  }, [step, form.setFocus])

  /** Goes to the step of a field with an error, and there to the field. */
  const showField = (field: Field) => {
    const at = stepOf(field)
    if (step === null || at < 0 || at === step) return
    wanted.current = field
    goTo(at)
  }
  const advance = async () => {
    if (step === null) return
    if (await form.trigger(POSTING_STEPS[step], { shouldFocus: true })) goTo(step + 1)
  }
  return {
    parts,
    showField,
    showFirst: (errors: FieldErrors<TaskForm>) => {
      const [field] = Object.keys(errors) as Field[]
      if (field) showField(field)
    },
    /** Left out on the last step, which posts. */
    advance: step !== null && step < LAST_STEP ? () => void advance() : undefined,
    /** Left out on the first step. */
    back: step !== null && step > 0 ? () => goTo(step - 1) : undefined,
    /** The person is correcting an error: the next button validates again. */
    onChange: step === null ? undefined : () => form.clearErrors(),
  }
}
