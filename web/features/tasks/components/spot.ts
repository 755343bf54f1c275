// Where an exact point is, in words: how far from the place that the text of its task names, and in which direction.
import { useTranslation } from 'react-i18next'
import { kmBetween, type Position } from '../../../../shared/distances.ts'
import { formatDistance } from '../../../lib/format.ts'
import { directionTo, pointText } from '../../../lib/points.ts'
import { type Place, placeLabel } from '../../../lib/queries/places.ts'

/** A point this far from its place is asked about. */
export const FAR_KM = 50

/** The coordinates without a known place. */
export function useSpotText(point: Position, place: Place | null | undefined): string {
  const { t } = useTranslation()
  if (!place) return pointText(point)
  return t('tasks.point.spot', {
    distance: formatDistance(kmBetween(place, point)),
    place: placeLabel(place),
    direction: t(`tasks.point.direction.${directionTo(place, point)}`),
  })
}
