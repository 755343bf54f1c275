// The point around which /browse lists tasks, and the one that distances are measured from.
import { useQuery } from '@tanstack/react-query'
import type { Position } from '../../../shared/distances.ts'
import { devicePosition } from '../../lib/devicePosition.ts'
import { placeQuery } from '../../lib/queries/places.ts'
import { travelAreaQuery } from '../../lib/queries/travelArea.ts'
import { useStore } from '../../lib/useStore.ts'
import { type Browsing, centreOf } from './browsing.ts'

/**
 * The point that the address asks for: `everywhere` without one, `lost` where it is not known here (any more), such as the
 * position of another device.
 */
export type Near =
  | { state: 'everywhere' | 'reading' | 'lost' }
  | { state: 'failed'; error: Error; onRetry: () => void }
  | { state: 'found'; position: Position }

/** `origin`: where cards measure from: the point that the address asks for, or else a tasker's travel area. */
export function useNear(
  browsing: Browsing,
  tasker: string | undefined,
): { near: Near; origin: Position | undefined } {
  const centre = centreOf(browsing.near)
  const device = useStore(devicePosition)
  const place = useQuery(placeQuery(centre?.kind === 'place' ? centre.id : undefined))
  const area = useQuery(travelAreaQuery(tasker))
  const near = nearOf()
  return { near, origin: near.state === 'found' ? near.position : (positionOf(area.data) ?? undefined) }

  function nearOf(): Near {
    switch (centre?.kind) {
      case undefined:
        return { state: 'everywhere' }
      case 'device':
        return foundOrLost(device)
      case 'point':
        return foundOrLost(centre.position)
      case 'place':
        return read(place)
      case 'area':
        return tasker ? read(area) : { state: 'lost' }
    }
  }
}

type Reading = {
  data: Position | null | undefined
  error: Error | null
  isPending: boolean
  refetch(): unknown
}

function read({ data, error, isPending, refetch }: Reading): Near {
  if (data === undefined && error) return { state: 'failed', error, onRetry: () => void refetch() }
  return isPending ? { state: 'reading' } : foundOrLost(positionOf(data))
}

const foundOrLost = (position: Position | null | undefined): Near =>
  position ? { state: 'found', position } : { state: 'lost' }

const positionOf = (row: Position | null | undefined): Position | null | undefined =>
  row && { latitude: row.latitude, longitude: row.longitude }
