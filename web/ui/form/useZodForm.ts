// A form over a zod schema: react-hook-form with our resolver, and the draft of the input.
import { useEffect, useState } from 'react'
import { type DefaultValues, type FieldValues, type UseFormReturn, useForm } from 'react-hook-form'
import { dropDraft, keepDraft, readDraft } from '../../lib/drafts.ts'
import type { z } from '../../lib/zod.ts'
import { firstFailure } from './errors.ts'
import { FormField } from './FormField.tsx'

const NOTHING: readonly never[] = []

/** Values of fields: text, numbers, and lists of them. */
const alike = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

type FormOptions<Values extends FieldValues> = {
  defaultValues: DefaultValues<Values>
  /** Stronger than the draft. */
  overrides?: Partial<DefaultValues<Values>>
  /** Stores the input under this name for the browser's tab, until it is dropped. */
  draft?: string
  /** The fields that are never kept; the same array at every rendering. */
  secret?: readonly (keyof Values)[]
  /** The draft is what differs from the default values, which stay what discarding returns to; where nothing does, there is none. */
  draftIsDirty?: boolean
}

export type ZodForm<Values extends FieldValues, Output extends FieldValues = Values> = UseFormReturn<
  Values,
  unknown,
  Output
> & {
  /** A FormField that knows this form's names: `<form.Field name="title" label={…}><Input /></form.Field>`. */
  Field: typeof FormField<Values>
  /** The kept draft when the form began, or null. */
  keptDraft: Partial<Values> | null
  dropDraft: () => void
}

/** `const form = useZodForm(schema, { defaultValues, draft: 'apply:…' })`, for a `<Form form={form}>`. */
export function useZodForm<Values extends FieldValues, Output extends FieldValues>(
  schema: z.ZodType<Output, Values>,
  { defaultValues, overrides, draft, secret = NOTHING, draftIsDirty = false }: FormOptions<Values>,
): ZodForm<Values, Output> {
  const [keptDraft] = useState(() => (draft ? readDraft<Values>(draft) : null))
  const form = useForm<Values, unknown, Output>({
    resolver: firstFailure(schema),
    defaultValues: draftIsDirty ? defaultValues : { ...defaultValues, ...keptDraft, ...overrides },
  })
  const { reset, getValues, subscribe } = form
  useEffect(() => {
    if (draftIsDirty && keptDraft) reset({ ...getValues(), ...keptDraft }, { keepDefaultValues: true })
  }, [draftIsDirty, keptDraft, reset, getValues])
  useEffect(() => {
    if (!draft) return
    return subscribe({
      // The latter also fires for new default values.
      formState: { values: true, dirtyFields: true },
      callback: ({ values, defaultValues }) => {
        const kept = Object.entries(values).filter(
          ([name, value]) => !secret.includes(name) && !(draftIsDirty && alike(value, defaultValues?.[name])),
        )
        if (kept.length > 0) keepDraft(draft, Object.fromEntries(kept))
        else dropDraft(draft)
      },
    })
  }, [draft, draftIsDirty, secret, subscribe])
  return { ...form, Field: FormField, keptDraft, dropDraft: () => draft !== undefined && dropDraft(draft) }
}
