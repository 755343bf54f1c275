// The filters that narrow a list, each with its own way off.
import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from './Button.tsx'

export type FilterChip = { key: string; label: string; onClear: () => void }

/** `<FilterChips chips={[{ key, label, onClear }]} onClearAll={…} />`; nothing when there are none. */
export function FilterChips({ chips, onClearAll }: { chips: FilterChip[]; onClearAll: () => void }) {
  const { t } = useTranslation()
  if (chips.length === 0) return null
  return (
    <ul aria-label={t('ui.activeFilters')} className="flex flex-wrap items-center gap-2">
      {chips.map(({ key, label, onClear }) => (
        <li key={key}>
          <button
            type="button"
            onClick={onClear}
            aria-label={t('ui.clearFilter', { filter: label })}
            className="flex h-9 items-center gap-1.5 rounded-full bg-wheat-soft ps-3.5 pe-2.5 text-sm font-semibold text-wheat-ink hover:bg-sunken"
          >
            <span>{label}</span>
            <X aria-hidden className="size-4" />
          </button>
        </li>
      ))}
      {chips.length > 1 && (
        <li>
          <Button variant="link" className="px-2 text-sm" onClick={onClearAll}>
            {t('ui.clearFilters')}
          </Button>
        </li>
      )}
    </ul>
  )
}
