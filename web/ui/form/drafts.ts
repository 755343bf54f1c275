// What was typed into a form, kept for this browser tab: it survives a reload and a detour through signing in.
import { useEffect } from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'

const place = (name: string) => `draft:${name}`

/** The kept values, or null when there are none (or storage is switched off). */
export function readDraft<Values>(name: string): Partial<Values> | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(place(name)) ?? 'null')
    return kept && typeof kept === 'object' ? kept : null
  } catch {
    return null
  }
}

export function keepDraft(name: string, values: object): void {
  try {
    sessionStorage.setItem(place(name), JSON.stringify(values))
  } catch {
    // Full or switched off: the form still works, it only forgets.
  }
}

export function dropDraft(name: string): void {
  try {
    sessionStorage.removeItem(place(name))
  } catch {
    // Nothing was kept then.
  }
}

/** Enters what was kept under `name` into the form, as changes that are not saved yet. */
export function useRestoredDraft<Values extends FieldValues, Output extends FieldValues>(
  name: string,
  form: UseFormReturn<Values, unknown, Output>,
) {
  const { reset, getValues } = form
  useEffect(() => {
    const kept = readDraft<Values>(name)
    if (kept) reset({ ...getValues(), ...kept }, { keepDefaultValues: true })
  }, [name, reset, getValues])
}

/** Keeps the form's values under `name` as they change, all but the secret one; start the form from `readDraft(name)`. */
export function useKeptDraft<Values extends FieldValues, Output extends FieldValues>(
  name: string,
  form: UseFormReturn<Values, unknown, Output>,
  secret?: keyof Values,
) {
  useEffect(
    () =>
      form.subscribe({
        formState: { values: true },
        callback: ({ values }) => keepDraft(name, secret ? { ...values, [secret]: undefined } : values),
      }),
    [name, form, secret],
  )
}
