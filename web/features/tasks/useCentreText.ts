// The name of the point around which tasks are listed.
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { placeLabel, placeQuery } from '../../lib/queries/places.ts'
import { centreOf } from './browsing.ts'

/** `Nutana, Saskatoon`, or what kind of point it is. */
export function useCentreText(near: string): string {
  const { t } = useTranslation()
  const centre = centreOf(near)
  const place = useQuery(placeQuery(centre?.kind === 'place' ? centre.id : undefined)).data
  if (centre?.kind === 'device') return t('near.device')
  if (centre?.kind === 'area') return t('near.area')
  if (centre?.kind === 'point') return t('near.point')
  return place ? placeLabel(place) : t('ui.loading')
}
