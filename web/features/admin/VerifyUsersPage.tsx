// /admin/verify-users: all people, newest first, with their badge, which is given and taken here (specification 000
// §2, §6, §9). Submissions and complaints have separate pages, to which notifications of earlier days lead from here.
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, useSearchParams } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { PageHeader } from '../../ui/Page.tsx'
import { Everyone } from './components/People.tsx'

const MOVED: Record<string, string> = {
  waiting: paths.adminVerifications,
  complaints: paths.adminComplaints,
}

export default function VerifyUsersPage() {
  const { t } = useTranslation()
  const [address] = useSearchParams()
  const [person, setPerson] = useState('')
  const moved = MOVED[address.get('tab') ?? '']
  if (moved) return <Navigate to={moved} replace />
  return (
    <>
      <PageHeader title={t('admin.title')} subtitle={t('admin.subtitle')} className="mb-6" />
      <Everyone text={person} onType={setPerson} />
    </>
  )
}
