// The names of the kinds of tasks in the reader's language; the database keeps the English one.
import type { TFunction } from 'i18next'
import type { TextKey } from '../i18n/index.ts'

/** A category as the reader calls it; one without a translation as it is. */
export function categoryText(t: TFunction, category: string): string {
  return t(`tasks.categories.${category}` as TextKey, { defaultValue: category }) as string
}
