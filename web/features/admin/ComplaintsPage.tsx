// /admin/complaints: pending decisions, the oldest first, reports of banks, and decided cases; each row leads to its
// case.
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { PageHeader } from '../../ui/Page.tsx'
import { Complaints } from './components/Complaints.tsx'

export default function ComplaintsPage() {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  return (
    <>
      <PageHeader
        title={t('admin.complaints')}
        subtitle={t('backOffice.complaints.subtitle')}
        className="mb-6"
      />
      <Complaints text={text} onType={setText} />
    </>
  )
}
