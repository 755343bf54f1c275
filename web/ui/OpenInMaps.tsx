// Hands a point, an address or a route over to the navigator of the device, which opens in another tab or app.
import { Navigation } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Position } from '../../shared/distances.ts'
import { directionsUrl } from '../lib/points.ts'
import { classes } from './classes.ts'

type OpenInMapsProps = {
  stops: readonly (Position | string)[]
  /** The destination's name for screen readers, because the link is one of several. */
  of: string
  /** The visible text instead of 'Open in maps'. */
  text?: string
  className?: string
}

export function OpenInMaps({ stops, of, text, className }: OpenInMapsProps) {
  const { t } = useTranslation()
  return (
    <a
      href={directionsUrl(stops)}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={text ? undefined : t('ui.maps.openNamed', { of })}
      className={classes('inline-flex min-h-9 items-center gap-1.5 text-sky hover:underline', className)}
    >
      <Navigation aria-hidden className="size-4 shrink-0" />
      <span>{text ?? t('ui.maps.open')}</span>
    </a>
  )
}
