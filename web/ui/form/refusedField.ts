// A value that the database refused: it names the field in its error's hint.
import { PostgrestError } from '@supabase/supabase-js'
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { errorText } from '../../lib/errorText.ts'

/** Shows the error at its field and goes there; nothing where the form has no such field. */
export function showRefusedField<Values extends FieldValues>(
  form: Pick<UseFormReturn<Values>, 'getValues' | 'setError'>,
  error: unknown,
): void {
  const field = error instanceof PostgrestError ? error.hint : ''
  if (!field || !(field in form.getValues())) return
  form.setError(field as Path<Values>, { message: errorText(error) }, { shouldFocus: true })
}
