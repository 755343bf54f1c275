// Where, for how much and on which days: the filters of the list that need words, in a panel; and their chips.
import { SlidersHorizontal } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/Button.tsx'
import { CountBadge } from '../../../ui/CountBadge.tsx'
import { type FilterChip, FilterChips } from '../../../ui/FilterChips.tsx'
import { type Filters, noFilters } from '../browsing.ts'
import { useFilterTexts } from '../useFilterTexts.ts'
import type { TaskFiltersProps } from './TaskFiltersPanel.tsx'
import { usePanel } from './usePanel.ts'

const loadPanel = () => import('./TaskFiltersPanel.tsx')
const TaskFiltersPanel = lazy(loadPanel)

export function TaskFilters({ filters, onChange }: TaskFiltersProps) {
  const { t } = useTranslation()
  const panel = usePanel(loadPanel)
  const active = Object.values(filters).filter(Boolean).length
  return (
    <>
      <Button variant="secondary" className="max-sm:w-11 max-sm:px-0 sm:min-h-13" {...panel.button}>
        <SlidersHorizontal aria-hidden />
        <span className="max-sm:sr-only">{t('tasks.filters')}</span>
        {active > 0 && (
          <CountBadge count={active} className="max-sm:absolute max-sm:-end-1.5 max-sm:-top-1.5" />
        )}
      </Button>
      {panel.isWanted && (
        <Suspense>
          <TaskFiltersPanel
            filters={filters}
            onChange={onChange}
            open={panel.isOpen}
            onOpenChange={panel.setOpen}
          />
        </Suspense>
      )}
    </>
  )
}

/** One chip for the place, one for the pay, one for the days. */
export function TaskFilterChips({ filters, onChange }: TaskFiltersProps) {
  const { place } = filters
  const chip = (key: string, label: string, cleared: Partial<Filters>): FilterChip[] =>
    label ? [{ key, label, onClear: () => onChange({ ...filters, ...cleared }) }] : []
  const { pay, days } = useFilterTexts(filters)
  return (
    <FilterChips
      chips={[
        ...chip('place', place, { place: '' }),
        ...chip('pay', pay, { min: '', max: '' }),
        ...chip('days', days, { from: '', to: '' }),
      ]}
      onClearAll={() => onChange(noFilters)}
    />
  )
}
