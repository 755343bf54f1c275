// A field of a form by its name: registered, with its error.
import { type FieldValues, type Path, useFormContext } from 'react-hook-form'
import { useErrorText } from './errors.ts'
import { Field, type FieldProps } from './Field.tsx'

type FormFieldProps<Values extends FieldValues> = Omit<FieldProps, 'error' | 'registration'> & {
  name: Path<Values>
  /** Shows the field's error when the person leaves it, not only at submitting; an earlier field that fails comes first. */
  checkOnLeave?: boolean
}

/** `<FormField<SignIn> name="email" label={…} required><Input type="email" /></FormField>`: registered, with its error. */
export function FormField<Values extends FieldValues>({
  name,
  checkOnLeave,
  ...field
}: FormFieldProps<Values>) {
  const { register, getFieldState, formState, trigger } = useFormContext<Values>()
  const errorOf = useErrorText()
  const registration = register(name, checkOnLeave ? { onBlur: () => trigger(name) } : undefined)
  return (
    <Field {...field} error={errorOf(getFieldState(name, formState).error)} registration={registration} />
  )
}
