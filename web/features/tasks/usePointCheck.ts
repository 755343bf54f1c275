// Checks the exact point of a task before it is sent: it must be in the province, and is confirmed when it is far from the place
// that the text names.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { kmBetween, type Position } from '../../../shared/distances.ts'
import { codedErrorText, openErrors } from '../../i18n/databaseTexts.ts'
import { namedPlaceQuery, placeLabel } from '../../lib/queries/places.ts'
import { FAR_KM } from './components/spot.ts'
import type { NewTask } from './schema.ts'

/** A task whose point is `km` from the place that it names. */
export type FarTask = { task: NewTask; km: number; place: string }

export function usePointCheck(onOutside: (message: string) => void) {
  const client = useQueryClient()
  const [far, setFar] = useState<FarTask | null>(null)

  /** Kilometres to the named place; null where that is not known, also without a network. */
  const farFrom = async (point: Position, location: string) => {
    const place = await client.fetchQuery({ ...namedPlaceQuery(location), retry: false }).catch(() => null)
    return place && { km: kmBetween(place, point), place: placeLabel(place) }
  }

  /** Resolves to whether the task can be sent as it is. */
  const check = async (task: NewTask): Promise<boolean> => {
    const { point, location } = task
    if (!point) return true
    const { isInProvince } = await import('../../lib/province.ts')
    if (!(await isInProvince(point))) {
      await openErrors()
      onOutside(codedErrorText({ code: 'point.outside', params: {} }) ?? '')
      return false
    }
    const found = navigator.onLine ? await farFrom(point, location) : null
    if (!found || found.km <= FAR_KM) return true
    setFar({ task, ...found })
    return false
  }
  return { check, far, forget: () => setFar(null) }
}
