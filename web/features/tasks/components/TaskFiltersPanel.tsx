// The panel of filters that need words: where, for how much and on which days. Loaded when somebody reaches for it.
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { cities } from '../../../../shared/cities.ts'
import { Button } from '../../../ui/Button.tsx'
import { DateInput } from '../../../ui/DateInput.tsx'
import type { Deferred } from '../../../ui/Deferred.tsx'
import { Form, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { Popover } from '../../../ui/Popover.tsx'
import { type Filters, noFilters } from '../browsing.ts'
import { filtersSchema } from '../filtersSchema.ts'

export type TaskFiltersProps = { filters: Filters; onChange: (filters: Filters) => void }

const TaskFiltersPanel: Deferred<TaskFiltersProps> = ({ trigger, filters, onChange }) => {
  const { t } = useTranslation()
  const [open, setOpen] = useState(true)
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      label={t('tasks.filters')}
      className="w-[min(24rem,calc(100vw-1rem))]"
      trigger={trigger}
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
export default TaskFiltersPanel

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
