// The choice of a point near which tasks are listed: the device's position, a tasker's travel area, or a place.
import { useQuery } from '@tanstack/react-query'
import { MapPinned } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { devicePosition, forgetPosition, rememberPosition } from '../../../lib/devicePosition.ts'
import { profileSettingsPath } from '../../../lib/paths.ts'
import { travelAreaQuery } from '../../../lib/queries/travelArea.ts'
import { useStore } from '../../../lib/useStore.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/form/Field.tsx'
import { Link } from '../../../ui/Link.tsx'
import { LocationButton } from '../../../ui/LocationButton.tsx'
import { PlaceInput } from '../../../ui/PlaceInput.tsx'
import { Sheet } from '../../../ui/Sheet.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { NEAR_AREA, NEAR_DEVICE } from '../browsing.ts'

export type NearPanelProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** The id of the reader, if they are a tasker. */
  tasker: string | undefined
  /** `km` only where the choice comes with a distance. */
  onChoose: (near: string, km?: number) => void
}

export default function NearPanel({ open, onOpenChange, tasker, onChoose }: NearPanelProps) {
  const { t } = useTranslation()
  const remembered = useStore(devicePosition)
  const choose = (near: string, km?: number) => {
    onChoose(near, km)
    onOpenChange(false)
  }
  return (
    <Sheet open={open} onOpenChange={onOpenChange} title={t('near.title')}>
      <div className="flex flex-col gap-6 p-5">
        <div className="flex flex-col items-start gap-2">
          <LocationButton
            reason={t('near.reason')}
            onFound={(position) => {
              rememberPosition(position)
              choose(NEAR_DEVICE)
            }}
          />
          {remembered && (
            <Button
              variant="link"
              className="py-1 text-sm"
              onClick={() => {
                forgetPosition()
                toast.success(t('near.forgotten'))
              }}
            >
              {t('near.forget')}
            </Button>
          )}
        </div>
        {tasker && <AreaChoice tasker={tasker} onChoose={(km) => choose(NEAR_AREA, km)} />}
        <Field label={t('near.orPlace')} hint={t('near.placeHint')}>
          <PlaceInput onlyPlaces onChoose={({ id }) => choose(id)} />
        </Field>
      </div>
    </Sheet>
  )
}

function AreaChoice({ tasker, onChoose }: { tasker: string; onChoose: (km: number) => void }) {
  const { t } = useTranslation()
  const { data: area } = useQuery(travelAreaQuery(tasker))
  if (area === undefined) return null
  if (area === null)
    return (
      <p className="text-sm text-ink-soft">
        <span>{t('near.noArea')}</span>{' '}
        <Link to={profileSettingsPath} className="font-medium text-sky underline">
          {t('near.setArea')}
        </Link>
      </p>
    )
  return (
    <Button variant="secondary" className="self-start" onClick={() => onChoose(area.radius_km)}>
      <MapPinned aria-hidden />
      <span>{t('near.useArea')}</span>
    </Button>
  )
}
