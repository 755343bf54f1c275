// The map on which a giver puts the pin of a task. Loaded when it is opened.
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Position } from '../../../../shared/distances.ts'
import MapCanvas from '../../../ui/map/MapCanvas.tsx'
import { areaAround } from '../../../ui/map/useMap.ts'

type PointMapProps = {
  at: Position
  /** Half of the width that is shown at first. */
  km: number
  onMove: (to: Position) => void
}

const NONE: [] = []

export default function PointMap({ at, km, onMove }: PointMapProps) {
  const { t } = useTranslation()
  const [area] = useState(() => areaAround(at, km))
  return (
    <MapCanvas
      label={t('tasks.point.map')}
      items={NONE}
      area={area}
      closest={15}
      pin={{ at, label: t('tasks.point.pin'), onMove }}
      fallback={t('tasks.point.noMap')}
      className="min-h-64 flex-1"
    />
  )
}
