// Where a tasker is at home, and about how far that is from the task.
import { useTranslation } from 'react-i18next'
import { distanceKm } from '../../../../shared/distances.ts'
import { formatKilometres } from '../../../lib/format.ts'

/** `city` as the profile names it, `place` as the task does; the city alone where one of them is not known or they are one. */
export function Distance({ city, place }: { city: string; place: string }) {
  const { t } = useTranslation()
  const km = distanceKm(city, place)
  return (
    <span>
      <bdi>{city}</bdi>
      {km !== null && km > 0 && <span>{` · ${t('bookings.away', { distance: formatKilometres(km) })}`}</span>}
    </span>
  )
}
