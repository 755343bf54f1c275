// /admin/audit: who did what decision when. The address holds what is shown, so that a person's page leads here.
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field } from '../../ui/form/Field.tsx'
import { PageHeader } from '../../ui/Page.tsx'
import { Select } from '../../ui/Select.tsx'
import { TABLES } from './api/audit.ts'
import { AuditList } from './components/AuditList.tsx'

export default function AuditPage() {
  const { t } = useTranslation()
  const [address, setAddress] = useSearchParams()
  const table = TABLES.find((known) => known === address.get('table'))
  const adminsOnly = address.get('everyone') !== 'true'
  const set = (change: Record<string, string | undefined>) => {
    const next = Object.fromEntries([...address, ...Object.entries(change)].filter(([, value]) => value))
    setAddress(next as Record<string, string>, { replace: true, preventScrollReset: true })
  }
  return (
    <>
      <PageHeader
        title={t('backOffice.audit.title')}
        subtitle={t('backOffice.audit.subtitle')}
        className="mb-6"
      />
      <div className="mb-5 flex flex-wrap items-end gap-x-6 gap-y-3">
        <Field label={t('backOffice.audit.what')} className="min-w-52 max-sm:w-full">
          <Select value={table ?? ''} onChange={(event) => set({ table: event.target.value || undefined })}>
            <option value="">{t('backOffice.audit.everything')}</option>
            {TABLES.map((one) => (
              <option key={one} value={one}>
                {t(`backOffice.audit.table.${one}`)}
              </option>
            ))}
          </Select>
        </Field>
        <Checkbox
          label={t('backOffice.audit.adminsOnly')}
          checked={adminsOnly}
          onChange={(event) => set({ everyone: event.target.checked ? undefined : 'true' })}
        />
      </div>
      <AuditList filter={{ table, adminsOnly }} />
    </>
  )
}
