// The point near which tasks are listed, and its distance. Loaded with the first point.
import { useTranslation } from 'react-i18next'
import { formatKilometres } from '../../../lib/format.ts'
import { radiiWith } from '../../../lib/radii.ts'
import { FilterChips } from '../../../ui/FilterChips.tsx'
import { Select } from '../../../ui/Select.tsx'
import type { Browsing } from '../browsing.ts'
import { useCentreText } from '../useCentreText.ts'

type NearBarProps = {
  browsing: Pick<Browsing, 'near' | 'km'>
  onRadius: (km: number) => void
  onClear: () => void
}

export default function NearBar({ browsing: { near, km }, onRadius, onClear }: NearBarProps) {
  const { t } = useTranslation()
  const label = useCentreText(near)
  return (
    <div className="flex items-center gap-2 max-sm:shrink-0 sm:flex-wrap">
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
