// Putting the pin of a task on the map; the spot is used once the person says so.
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Position } from '../../../../shared/distances.ts'
import type { Place } from '../../../lib/queries/places.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { MIDDLE_OF_MAP } from '../../../ui/map/geometry.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useSpotText } from './spot.ts'

const PointMap = lazy(() => import('./PointMap.tsx'))

const NEAR_KM = 1
const AROUND_PLACE_KM = 4
const WITHOUT_PLACE_KM = 300

type PointDialogProps = {
  point: Position | null
  place: Place | null | undefined
  onClose: () => void
  onUse: (point: Position) => void
}

export function PointDialog({ point, place, onClose, onUse }: PointDialogProps) {
  const { t } = useTranslation()
  const [moved, setMoved] = useState(point)
  const at = moved ?? place ?? MIDDLE_OF_MAP
  const spot = useSpotText(at, place)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      tall
      size="lg"
      title={t('tasks.point.mark')}
      description={t('tasks.point.mapHint')}
      footer={
        <>
          <Button variant="secondary" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button onClick={() => onUse(at)}>{t('tasks.point.use')}</Button>
        </>
      }
    >
      <Suspense fallback={<Skeleton className="min-h-64 w-full flex-1" />}>
        <PointMap
          at={at}
          km={point ? NEAR_KM : place ? AROUND_PLACE_KM : WITHOUT_PLACE_KM}
          onMove={setMoved}
        />
      </Suspense>
      <p role="status" className="min-h-[calc(1lh+1.25rem)] px-5 py-2.5 text-sm text-ink-soft">
        {moved && spot}
      </p>
    </Dialog>
  )
}
