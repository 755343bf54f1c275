// The point near which tasks are listed, its distance, and a sentence where the point is not known. Loaded with the first point.
import { useTranslation } from 'react-i18next'
import { rememberPosition } from '../../../lib/devicePosition.ts'
import { formatKilometres } from '../../../lib/format.ts'
import { radiiWith } from '../../../lib/radii.ts'
import { Button } from '../../../ui/Button.tsx'
import { FilterChips } from '../../../ui/FilterChips.tsx'
import { LocationButton } from '../../../ui/LocationButton.tsx'
import { Select } from '../../../ui/Select.tsx'
import { type Browsing, centreOf } from '../browsing.ts'
import { useCentreText } from '../useCentreText.ts'
import type { Near } from '../useNear.ts'

type NearBarProps = {
  browsing: Pick<Browsing, 'near' | 'km'>
  state: Near['state']
  onRadius: (km: number) => void
  onClear: () => void
}

export default function NearBar({ browsing: { near, km }, state, onRadius, onClear }: NearBarProps) {
  const { t } = useTranslation()
  const label = useCentreText(near)
  if (state === 'lost') return <Lost near={near} onClear={onClear} />
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select
        aria-label={t('near.radius')}
        value={km}
        onChange={(event) => onRadius(Number(event.target.value))}
        className="w-fit [&_select]:h-9 [&_select]:rounded-full [&_select]:ps-3.5 [&_select]:pe-9 [&_select]:text-sm [&_select]:font-semibold"
      >
        {radiiWith(km).map((radius) => (
          <option key={radius} value={radius}>
            {t('near.within', { distance: formatKilometres(radius) })}
          </option>
        ))}
      </Select>
      <FilterChips chips={[{ key: 'near', label, onClear }]} onClearAll={onClear} />
    </div>
  )
}

/** All tasks are listed meanwhile. */
function Lost({ near, onClear }: { near: string; onClear: () => void }) {
  const { t } = useTranslation()
  const kind = centreOf(near)?.kind
  return (
    <div role="status" className="flex flex-col items-start gap-2 rounded-md bg-sky-soft px-4 py-3">
      <p className="font-medium">
        {kind === 'device'
          ? t('near.lostDevice')
          : kind === 'area'
            ? t('near.lostArea')
            : t('near.lostPlace')}
      </p>
      {kind === 'device' && <LocationButton size="sm" reason={t('near.reason')} onFound={rememberPosition} />}
      <Button variant="ghost" size="sm" onClick={onClear}>
        {t('ui.close')}
      </Button>
    </div>
  )
}
