// How far a place is from the tasker who is asked first, and whether their travel area reaches it.
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { formatKilometres } from '../../../lib/format.ts'
import { useDebounced } from '../../../lib/useDebounced.ts'
import { type AskedTasker, askedDistanceQuery } from '../api/posting.ts'

/** Each answer counts towards a limit, so the text must have stayed the same for so long. */
const PAUSE_MS = 1000

/** Below the field of the place. It keeps its height while it is empty, so that nothing moves. */
export function AskedDistance({ tasker, location }: { tasker: AskedTasker; location: string }) {
  const { t } = useTranslation()
  const typed = useDebounced(location.trim(), PAUSE_MS)
  const { data } = useQuery(askedDistanceQuery(tasker.id, typed))
  const name = tasker.full_name
  return (
    <p role="status" className="min-h-10 text-sm text-ink-soft">
      {data && typed === location.trim() && sentences(data).join(' ')}
    </p>
  )

  function sentences({ city, km, reach }: { city: string | null; km: number | null; reach: string }) {
    const place = city && { city, name }
    return [
      place && km !== null
        ? km > 0
          ? t('near.reach.from', { ...place, distance: formatKilometres(km) })
          : t('near.reach.same', place)
        : '',
      reach === 'within' || reach === 'beyond' ? t(`near.reach.${reach}`, { name }) : '',
    ].filter(Boolean)
  }
}
