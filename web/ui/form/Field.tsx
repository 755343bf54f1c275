// A labelled form field: label, hint and error are wired to the control inside through context.
import { CircleAlert } from 'lucide-react'
import { createContext, type ReactNode, useContext, useEffect, useId, useMemo, useRef } from 'react'
import type { UseFormRegisterReturn } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { useOnline } from '../../lib/useOnline.ts'
import { classes } from '../classes.ts'

type FieldWiring = {
  id?: string
  'aria-describedby'?: string
  'aria-invalid'?: true
  'aria-required'?: true
} & Partial<UseFormRegisterReturn>

const FieldContext = createContext<FieldWiring>({})

/** Attributes for a control inside a Field. */
export function useField(): FieldWiring {
  return useContext(FieldContext)
}

export type FieldProps = {
  label: string
  hint?: ReactNode
  /** The message to show, already translated; marks the control invalid. */
  error?: string
  /** The id of a refusal elsewhere that is about this field; marks the control invalid, too. */
  refusal?: string | undefined
  required?: boolean
  /** Adds "(optional)" to the label. */
  optional?: boolean
  /** Ties the control to a form: what `register(name)` returns. FormField does this by itself. */
  registration?: UseFormRegisterReturn
  className?: string
  children: ReactNode
}

/** `<Field label={…} error={…}><Input value={…} onChange={…} /></Field>`; in a Form rather a FormField. */
export function Field({
  label,
  hint,
  error,
  refusal,
  required,
  optional,
  registration,
  className,
  children,
}: FieldProps) {
  const { t } = useTranslation()
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`, refusal].filter(Boolean).join(' ')
  const wiring = useMemo<FieldWiring>(
    () => ({
      id,
      'aria-describedby': described || undefined,
      'aria-invalid': error || refusal ? true : undefined,
      'aria-required': required || undefined,
    }),
    [id, described, error, refusal, required],
  )
  const whole = useErrorInView<HTMLDivElement>(error)
  return (
    <div ref={whole} className={classes('flex min-w-0 flex-col gap-1.5', className)}>
      <label htmlFor={id} className="font-semibold">
        <span>{label}</span>
        {optional && <span className="ms-1.5 text-sm font-normal text-ink-faint">{t('ui.optional')}</span>}
      </label>
      <FieldContext value={registration ? { ...wiring, ...registration } : wiring}>{children}</FieldContext>
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-ink-faint">
          {hint}
        </p>
      )}
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </div>
  )
}

/** The ref of the field: browsers bring its control into view, and the error may still be below the edge of a dialog. */
export function useErrorInView<Whole extends HTMLElement>(error: string | undefined) {
  const whole = useRef<Whole>(null)
  useEffect(() => {
    if (!error || !whole.current?.contains(document.activeElement)) return
    whole.current.querySelector('[role=alert]')?.scrollIntoView({ block: 'nearest' })
  }, [error])
  return whole
}

/** The ref of an element that is brought into view when it appears. */
export function useShown<Whole extends HTMLElement>() {
  const whole = useRef<Whole>(null)
  useEffect(() => {
    // Newer browsers return a promise, which is no way to clean up.
    whole.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return whole
}

type ProblemProps = { id?: string | undefined; children: string }

/** The text of a problem; forms keep it, so the sentence about a lost connection is replaced here once that is back. */
function useCurrentProblem(text: string): string {
  const { t } = useTranslation()
  return useOnline() ? text.replace(t('errors.offline'), t('errors.backOnline')) : text
}

/** Why the last try was refused, directly above the button that tried; brought into view and announced when it appears. */
export function Problem({ id, children }: ProblemProps) {
  const text = useCurrentProblem(children)
  const whole = useShown<HTMLDivElement>()
  return (
    <div
      ref={whole}
      id={id}
      role="alert"
      className="mb-3 flex items-start gap-2 rounded-md bg-danger-soft px-3 py-2.5 font-medium text-danger"
    >
      <CircleAlert aria-hidden className="mt-[0.22em] size-[1.1em] shrink-0" />
      <div className="min-w-0">{text}</div>
    </div>
  )
}

/** An error line with its sign; announced when it appears. */
export function FieldError({ id, children }: ProblemProps) {
  const text = useCurrentProblem(children)
  return (
    <p id={id} role="alert" className="flex items-start gap-1.5 text-sm font-medium text-danger">
      <CircleAlert aria-hidden className="mt-[0.2em] size-[1em] shrink-0" />
      <span>{text}</span>
    </p>
  )
}
