// A saved search in one line.
import { useTranslation } from 'react-i18next'
import { categoryText } from '../../../lib/categoryText.ts'
import { formatKilometres } from '../../../lib/format.ts'
import type { Search } from '../browsing.ts'
import { useFilterTexts } from '../useFilterTexts.ts'

type SearchSummaryProps = { search: Search; place: string | null }

export function SearchSummary({ search, place }: SearchSummaryProps) {
  return <p className="min-w-0 font-semibold break-words">{useSearchText(search, place)}</p>
}

/** `“driveway” · Snow Removal · Nutana, Saskatoon (25 km) · $60 or more`. `place` names the point, if the search has one. */
export function useSearchText(search: Search, place: string | null): string {
  const { t } = useTranslation()
  const { words, category, location, radius_km } = search
  const { pay, days } = useFilterTexts({
    min: String(search.min_pay ?? ''),
    max: String(search.max_pay ?? ''),
    from: search.first_day ?? '',
    to: search.last_day ?? '',
  })
  return [
    words && t('savedSearches.words', { words }),
    category && categoryText(t, category),
    location,
    radius_km && t('savedSearches.near', { place: place ?? '', distance: formatKilometres(radius_km) }),
    pay,
    days,
  ]
    .filter(Boolean)
    .join(' · ')
}
