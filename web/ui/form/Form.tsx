// The one form of the app: a schema's values (useZodForm), fields by name, the state of the action that submits it.
import { createContext, type FormEventHandler, type ReactNode, useContext } from 'react'
import { type FieldErrors, type FieldValues, FormProvider } from 'react-hook-form'
import { errorText } from '../../lib/errorText.ts'
import { Button, type ButtonProps } from '../Button.tsx'
import { FieldError, useShown } from './Field.tsx'
import type { ZodForm } from './useZodForm.ts'

/** The state of the action that submits the form (useAction). */
type Submission = { isPending: boolean; error: Error | null }

const SubmissionContext = createContext<Submission>({ isPending: false, error: null })

type FormProps<Values extends FieldValues, Output extends FieldValues> = {
  form: ZodForm<Values, Output>
  /** Called with what the schema made of the values, once they are valid. */
  onSubmit: (output: Output) => void
  /** Called with the errors if it is not valid. */
  onInvalid?: (errors: FieldErrors<Values>) => void
  /** In the place of submitting, on a step before the last. */
  onContinue?: (() => void) | undefined
  submission?: Submission
  className?: string
  children: ReactNode
}

/** `<Form form={form} submission={saving} onSubmit={saving.mutate}><FormField …/><SubmitButton>…</SubmitButton></Form>` */
export function Form<Values extends FieldValues, Output extends FieldValues>({
  form,
  onSubmit,
  onInvalid,
  onContinue,
  submission = { isPending: false, error: null },
  className = 'flex flex-col gap-5',
  children,
}: FormProps<Values, Output>) {
  const submit: FormEventHandler = form.handleSubmit((output) => onSubmit(output), onInvalid)
  const advance: FormEventHandler = (event) => {
    event.preventDefault()
    onContinue?.()
  }
  return (
    <FormProvider {...form}>
      <SubmissionContext value={submission}>
        {/* Were it ever sent by the browser itself: not by the address, where a password could be read. */}
        <form method="post" noValidate className={className} onSubmit={onContinue ? advance : submit}>
          {children}
        </form>
      </SubmissionContext>
    </FormProvider>
  )
}

/** The button that submits the form around it; busy while the form's action runs. */
export function SubmitButton({ loading, ...button }: ButtonProps) {
  const { isPending } = useContext(SubmissionContext)
  return <Button type="submit" loading={loading ?? isPending} {...button} />
}

/** Why the form's action was refused. */
export function SubmissionError() {
  const { error } = useContext(SubmissionContext)
  return error && <Refusal>{errorText(error)}</Refusal>
}

/** Brought into view: below the edge of a dialog nobody would see why it was refused. */
function Refusal({ children }: { children: string }) {
  const whole = useShown<HTMLDivElement>()
  return (
    <div ref={whole}>
      <FieldError>{children}</FieldError>
    </div>
  )
}
