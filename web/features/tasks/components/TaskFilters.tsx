// Where, for how much and on which days: the filters of the list that need words, in a panel; and their chips.
import { SlidersHorizontal } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { cities } from '../../../../shared/cities.ts'
import { formatDate } from '../../../lib/format.ts'
import { Button } from '../../../ui/Button.tsx'
import { CountBadge } from '../../../ui/CountBadge.tsx'
import { DateInput } from '../../../ui/DateInput.tsx'
import { type FilterChip, FilterChips } from '../../../ui/FilterChips.tsx'
import { Form, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { Popover } from '../../../ui/Popover.tsx'
import { type Filters, filtersSchema, noFilters } from '../browsing.ts'

type TaskFiltersProps = { filters: Filters; onChange: (filters: Filters) => void }

export function TaskFilters({ filters, onChange }: TaskFiltersProps) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const active = Object.values(filters).filter(Boolean).length
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      label={t('tasks.filters')}
      className="w-[min(24rem,calc(100vw-1rem))]"
      trigger={
        <Button variant="secondary">
          <SlidersHorizontal aria-hidden />
          {t('tasks.filters')}
          {active > 0 && <CountBadge count={active} />}
        </Button>
      }
    >
      <FiltersForm
        filters={filters}
        onChange={(next) => {
          onChange(next)
          setOpen(false)
        }}
      />
    </Popover>
  )
}

function FiltersForm({ filters, onChange }: TaskFiltersProps) {
  const { t } = useTranslation()
  const places = useId()
  const form = useZodForm(filtersSchema, { defaultValues: filters })
  return (
    <Form form={form} onSubmit={onChange} className="flex flex-col gap-4 overflow-y-auto p-4">
      <form.Field name="place" label={t('tasks.filterPlace')}>
        <Input list={places} placeholder={t('tasks.filterPlaceHint')} />
      </form.Field>
      <datalist id={places}>
        {cities.map((city) => (
          <option key={city} value={city} />
        ))}
      </datalist>
      <div className="grid grid-cols-2 items-start gap-3">
        <form.Field name="min" label={t('tasks.filterMin')}>
          <Input inputMode="decimal" placeholder="$25" />
        </form.Field>
        <form.Field name="max" label={t('tasks.filterMax')}>
          <Input inputMode="decimal" />
        </form.Field>
        <form.Field name="from" label={t('tasks.filterFrom')}>
          <DateInput className="max-sm:ps-2 max-sm:pe-9" />
        </form.Field>
        <form.Field name="to" label={t('tasks.filterTo')}>
          <DateInput className="max-sm:ps-2 max-sm:pe-9" />
        </form.Field>
      </div>
      <p className="text-sm text-ink-soft">{t('tasks.filterDaysHint')}</p>
      <div className="flex gap-3">
        <SubmitButton className="flex-1">{t('tasks.filterShow')}</SubmitButton>
        <Button variant="secondary" onClick={() => onChange(noFilters)}>
          {t('ui.clearFilters')}
        </Button>
      </div>
    </Form>
  )
}

/** One chip for the place, one for the pay, one for the days. */
export function TaskFilterChips({ filters, onChange }: TaskFiltersProps) {
  const { t } = useTranslation()
  const { place, min, max, from, to } = filters
  const chip = (key: string, label: string | false, cleared: Partial<Filters>): FilterChip[] =>
    label ? [{ key, label, onClear: () => onChange({ ...filters, ...cleared }) }] : []
  const noon = (date: string) => formatDate(`${date}T12:00:00-06:00`)
  const pay =
    min && max
      ? t('tasks.chipPay', { min, max })
      : min
        ? t('tasks.chipMin', { min })
        : max && t('tasks.chipMax', { max })
  const days =
    from && to
      ? from === to
        ? noon(from)
        : t('tasks.chipDays', { from: noon(from), to: noon(to) })
      : from
        ? t('tasks.chipFrom', { from: noon(from) })
        : to && t('tasks.chipTo', { to: noon(to) })
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
