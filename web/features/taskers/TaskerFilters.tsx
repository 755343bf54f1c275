// Where, for what, for how much an hour, and whether now: the filters of the list of taskers, and their chips.
import { useTranslation } from 'react-i18next'
import { categories } from '../../../shared/categories.ts'
import { CITIES } from '../../../shared/cities.ts'
import { categoryText } from '../../lib/categoryText.ts'
import { useChosen } from '../../lib/useChosen.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { type FilterChip, FilterChips } from '../../ui/FilterChips.tsx'
import { Field } from '../../ui/form/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { type TaskerFilters as Filters, noFilters, RATES } from './filters.ts'

type TaskerFiltersProps = { filters: Filters; onChange: (change: Partial<Filters>) => void }

export function TaskerFilters({ filters, onChange: narrow }: TaskerFiltersProps) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useChosen(JSON.stringify(filters))
  const shown: Filters = JSON.parse(chosen)
  const { city, category, rate, available } = shown
  const onChange = (change: Partial<Filters>) => {
    const next = { ...shown, ...change }
    setChosen(JSON.stringify(next))
    narrow(next)
  }
  const chip = (key: keyof Filters, label: string | false): FilterChip[] =>
    label ? [{ key, label, onClear: () => onChange({ [key]: '' }) }] : []
  return (
    <fieldset className="mb-6">
      <legend className="sr-only">{t('taskers.filters')}</legend>
      <div className="grid grid-cols-2 items-end gap-x-4 gap-y-3 sm:grid-cols-[repeat(3,minmax(0,13rem))_auto]">
        <Field label={t('taskers.city')}>
          <Select value={city} onChange={(event) => onChange({ city: event.target.value })}>
            <option value="">{t('taskers.anyCity')}</option>
            {CITIES.map((value) => (
              <option key={value}>{value}</option>
            ))}
          </Select>
        </Field>
        <Field label={t('taskers.category')}>
          <Select value={category} onChange={(event) => onChange({ category: event.target.value })}>
            <option value="">{t('taskers.anyCategory')}</option>
            {categories.map((value) => (
              <option key={value} value={value}>
                {categoryText(t, value)}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t('taskers.rate')}>
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
          className="min-h-11 items-center max-[22rem]:col-span-2"
        />
      </div>
      <div className="mt-4 empty:hidden">
        <FilterChips
          chips={[
            ...chip('city', city),
            ...chip('category', category && categoryText(t, category)),
            ...chip('rate', rate && t('taskers.upTo', { rate })),
            ...chip('available', available && t('taskers.availableNow')),
          ]}
          onClearAll={() => onChange(noFilters)}
        />
      </div>
    </fieldset>
  )
}
