// /admin/verify-users: all people, newest first, the verification of each, and the complaints to decide
// (specification 000 §2, §6, §9). The address holds the tab, so that a notification leads to the right one.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { PageHeader } from '../../ui/Page.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { undecidedCountQuery } from './api/complaints.ts'
import { waitingCountQuery } from './api/people.ts'
import { Complaints } from './components/Complaints.tsx'
import { Everyone, Waiting } from './components/People.tsx'

export default function VerifyUsersPage() {
  const { t } = useTranslation()
  return (
    <>
      <PageHeader title={t('admin.title')} subtitle={t('admin.subtitle')} className="mb-6" />
      <Lists />
    </>
  )
}

const TABS = ['everyone', 'waiting', 'complaints'] as const
type Tab = (typeof TABS)[number]

/** Each list loads, and fails, by itself. */
function Lists() {
  const { t } = useTranslation()
  const [address, setAddress] = useSearchParams()
  const tab = TABS.find((known) => known === address.get('tab')) ?? 'everyone'
  const choose = (next: Tab) =>
    setAddress(next === 'everyone' ? {} : { tab: next }, { preventScrollReset: true })
  const verifications = useQuery(waitingCountQuery)
  const complaints = useQuery(undecidedCountQuery)
  const [person, setPerson] = useState('')
  const [complaint, setComplaint] = useState('')
  return (
    <Tabs
      label={t('admin.whom')}
      value={tab}
      onChange={choose}
      tabs={[
        {
          value: 'everyone',
          label: t('admin.everyone'),
          content: <Everyone text={person} onType={setPerson} />,
        },
        {
          value: 'waiting',
          label: t('admin.waitingTab'),
          count: verifications.data,
          content: <Waiting text={person} onType={setPerson} />,
        },
        {
          value: 'complaints',
          label: t('admin.complaints'),
          count: complaints.data,
          content: <Complaints text={complaint} onType={setComplaint} />,
        },
      ]}
    />
  )
}
