// Where, for what, for how much an hour, and when: the filters of the list of taskers, and their chips.
import { useTranslation } from 'react-i18next'
import { categories } from '../../../../shared/categories.ts'
import { categoryText } from '../../../lib/categoryText.ts'
import { formatDateTime, formatDuration, instantFromLocal } from '../../../lib/format.ts'
import { useOptimisticChoice } from '../../../lib/useOptimisticChoice.ts'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { type FilterChip, FilterChips } from '../../../ui/FilterChips.tsx'
import { Field } from '../../../ui/form/Field.tsx'
import { Select } from '../../../ui/Select.tsx'
import { type TaskerFilters as Filters, noFilters, RATES } from '../filters.ts'
import { CityFilter } from './CityFilter.tsx'
import { FreeFilter } from './FreeFilter.tsx'

type TaskerFiltersProps = { filters: Filters; onChange: (change: Partial<Filters>) => void }

export function TaskerFilters({ filters, onChange: narrow }: TaskerFiltersProps) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useOptimisticChoice(JSON.stringify(filters))
  const shown: Filters = JSON.parse(chosen)
  const { city, category, rate, available, free, minutes } = shown
  const onChange = (change: Partial<Filters>) => {
    const next = { ...shown, ...change }
    setChosen(JSON.stringify(next))
    narrow(next)
  }
  const freeAt = instantFromLocal(free)
  const chip = (key: keyof Filters, label: string | false): FilterChip[] =>
    label ? [{ key, label, onClear: () => onChange({ [key]: '' }) }] : []
  return (
    <fieldset className="mb-6 min-w-0 max-sm:mb-0.5">
      <legend className="sr-only">{t('taskers.filters')}</legend>
      {/* On a phone one row that scrolls, faded where it goes on, each no wider than its choice, which says what it narrows. */}
      <div className="grid items-end gap-x-4 gap-y-3 max-sm:-mx-4 max-sm:flex max-sm:gap-2 max-sm:overflow-x-auto max-sm:ps-4 max-sm:pe-12 max-sm:py-1 max-sm:[scrollbar-width:none] max-sm:[&_select]:[field-sizing:content] max-sm:[mask-image:linear-gradient(to_right,black_calc(100%-3rem),transparent)] max-sm:rtl:[mask-image:linear-gradient(to_left,black_calc(100%-3rem),transparent)] sm:grid-cols-2 lg:grid-cols-[repeat(3,minmax(0,13rem))_auto] max-sm:[&_label[for]]:sr-only">
        <CityFilter city={city} onChange={(next) => onChange({ city: next })} />
        <Field label={t('taskers.category')} className="max-sm:relative max-sm:w-auto max-sm:shrink-0">
          <Select value={category} onChange={(event) => onChange({ category: event.target.value })}>
            <option value="">{t('taskers.anyCategory')}</option>
            {categories.map((value) => (
              <option key={value} value={value}>
                {categoryText(t, value)}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t('taskers.rate')} className="max-sm:relative max-sm:w-auto max-sm:shrink-0">
          <Select value={rate} onChange={(event) => onChange({ rate: event.target.value })}>
            <option value="">{t('taskers.anyRate')}</option>
            {RATES.map((value) => (
              <option key={value} value={value}>
                {t('taskers.upTo', { rate: value })}
              </option>
            ))}
          </Select>
        </Field>
        <Checkbox
          label={t('taskers.availableNow')}
          checked={available !== ''}
          onChange={(event) => onChange({ available: event.target.checked ? '1' : '' })}
          className="min-h-11 shrink-0 items-center whitespace-nowrap"
        />
        <FreeFilter free={free} minutes={minutes} onChange={onChange} />
      </div>
      {freeAt && (
        <p className="mt-3 text-sm text-ink-soft">
          <span>{t('hours.freeNote')}</span> <span>{t('hours.byClock')}</span>
        </p>
      )}
      <div className="mt-4 empty:hidden max-sm:mt-2">
        <FilterChips
          chips={[
            ...chip('city', city),
            ...chip('category', category && categoryText(t, category)),
            ...chip('rate', rate && t('taskers.upTo', { rate })),
            ...chip('available', available && t('taskers.availableNow')),
            ...(freeAt
              ? [
                  {
                    key: 'free',
                    label: t('hours.freeChip', {
                      at: formatDateTime(freeAt),
                      duration: formatDuration(Number(minutes)),
                    }),
                    onClear: () => onChange({ free: '', minutes: '' }),
                  },
                ]
              : []),
          ]}
          onClearAll={() => onChange(noFilters)}
        />
      </div>
    </fieldset>
  )
}
