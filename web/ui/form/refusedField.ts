// A value that the database refused: it names the field in its error's hint.
import { PostgrestError } from '@supabase/supabase-js'
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { errorText } from '../../lib/errorText.ts'

type RefusableForm<Values extends FieldValues> = Pick<UseFormReturn<Values>, 'getValues' | 'setError'>

/** The form's field that the error is about, or null. */
export function refusedField<Values extends FieldValues>(
  form: Pick<RefusableForm<Values>, 'getValues'>,
  error: unknown,
): Path<Values> | null {
  const field = error instanceof PostgrestError ? error.hint : ''
  return field && field in form.getValues() ? (field as Path<Values>) : null
}

/** Shows the error at its field and goes there; nothing where the form has no such field. */
export function showRefusedField<Values extends FieldValues>(
  form: RefusableForm<Values>,
  error: unknown,
): void {
  const field = refusedField(form, error)
  if (field) form.setError(field, { message: errorText(error) }, { shouldFocus: true })
}
