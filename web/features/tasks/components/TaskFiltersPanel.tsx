// The panel of filters that need words: where, for how much and on which days. Loaded when somebody reaches for it.
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { fromDollars } from '../../../../shared/money.ts'
import { formatMoney } from '../../../lib/format.ts'
import { AmountInput } from '../../../ui/AmountInput.tsx'
import { Button } from '../../../ui/Button.tsx'
import { DateInput } from '../../../ui/DateInput.tsx'
import { Form, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { PlaceInput } from '../../../ui/PlaceInput.tsx'
import { Sheet } from '../../../ui/Sheet.tsx'
import { type Filters, noFilters } from '../browsing.ts'
import { filtersSchema } from '../filtersSchema.ts'

export type TaskFiltersProps = { filters: Filters; onChange: (filters: Filters) => void }

export default function TaskFiltersPanel({
  filters,
  onChange,
  open,
  onOpenChange,
}: TaskFiltersProps & { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useTranslation()
  return (
    <Sheet open={open} onOpenChange={onOpenChange} title={t('tasks.filters')}>
      <FiltersForm
        // Begun anew when the filters change elsewhere, also while it slides out.
        key={JSON.stringify(filters)}
        filters={filters}
        onChange={(next) => {
          onChange(next)
          onOpenChange(false)
        }}
      />
    </Sheet>
  )
}

function FiltersForm({ filters, onChange }: TaskFiltersProps) {
  const { t } = useTranslation()
  const form = useZodForm(filtersSchema, { defaultValues: filters })
  return (
    <Form form={form} onSubmit={onChange} className="flex flex-col gap-4 p-5">
      <form.Field name="place" label={t('tasks.filterPlace')}>
        <PlaceInput placeholder={t('tasks.locationPlaceholder')} />
      </form.Field>
      <div className="grid grid-cols-2 items-start gap-3">
        <form.Field name="min" label={t('tasks.filterMin')}>
          <AmountInput placeholder={formatMoney(fromDollars(limits.payAmount.min))} />
        </form.Field>
        <form.Field name="max" label={t('tasks.filterMax')}>
          <AmountInput />
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
