// A saved search in one line.
import { useTranslation } from 'react-i18next'
import { categoryText } from '../../../lib/categoryText.ts'
import { formatList } from '../../../lib/format.ts'
import type { Search } from '../browsing.ts'

export function SearchSummary({ search }: { search: Search }) {
  return <p className="min-w-0 font-semibold break-words">{useSearchText(search)}</p>
}

/** `“driveway”, Snow Removal, Saskatoon and $60 or more`. */
export function useSearchText({ words, category, location, min_pay }: Search): string {
  const { t } = useTranslation()
  return formatList(
    [
      words && t('savedSearches.words', { words }),
      category && categoryText(t, category),
      location,
      min_pay !== null && t('tasks.chipMin', { min: min_pay }),
    ].filter((part) => typeof part === 'string' && part !== '') as string[],
  )
}
