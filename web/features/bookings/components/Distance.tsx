// Where a tasker is at home, and about how far that is from the task.
import { useTranslation } from 'react-i18next'
import { formatKilometres } from '../../../lib/format.ts'

/** `city` as the profile names it. Without `km`, or within 1 km, the city alone; what an earlier version has kept has none. */
export function Distance({ city, km }: { city: string; km: number | null | undefined }) {
  const { t } = useTranslation()
  return (
    <span>
      <bdi>{city}</bdi>
      {km ? <span>{` · ${t('bookings.away', { distance: formatKilometres(km) })}`}</span> : null}
    </span>
  )
}
