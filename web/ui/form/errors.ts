// How forms report what is wrong: the first failure only, as the specification has it (000 §5, 001 §5).
import type { FieldError, FieldValues, Path, Resolver } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import type { TextKey } from '../../i18n/index.ts'
import type { z } from '../../lib/zod.ts'

/** A react-hook-form resolver that reports the first failing rule in the schema's order; messages are text keys. */
export function firstFailure<Values extends FieldValues, Output extends FieldValues>(
  schema: z.ZodType<Output, Values>,
): Resolver<Values, unknown, Output> {
  return (values) => {
    const parsed = schema.safeParse(values)
    if (parsed.success) return { values: parsed.data, errors: {} }
    const issue = parsed.error.issues[0]
    const field = String(issue?.path[0] ?? 'root') as Path<Values>
    return { values: {}, errors: { [field]: { type: issue?.code, message: issue?.message } } as never }
  }
}

/** Turns a field's error into the text to show: its message is a text key, or the database's own sentence. */
export function useErrorText(): (error: FieldError | undefined) => string | undefined {
  const { t } = useTranslation()
  return (error) =>
    error?.message ? t(error.message as TextKey, { defaultValue: error.message }) : undefined
}
