// /admin/reports: what people say should not be there, the oldest first, to be hidden with a reason or dismissed.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Flag } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { PageHeader } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { type ReportStatus, reportCountQuery, reportsQuery } from './api/reports.ts'
import { ListPages } from './components/ListPages.tsx'
import { ReportRow } from './components/ReportRow.tsx'

const TABS: ReportStatus[] = ['open', 'hidden', 'dismissed']

export default function ReportsPage() {
  const { t } = useTranslation()
  const [address, setAddress] = useSearchParams()
  const tab = TABS.find((known) => known === address.get('tab')) ?? 'open'
  return (
    <>
      <PageHeader
        title={t('backOffice.reports.title')}
        subtitle={t('backOffice.reports.subtitle')}
        className="mb-6"
      />
      <Tabs
        label={t('backOffice.reports.lists')}
        value={tab}
        onChange={(next) => setAddress(next === 'open' ? {} : { tab: next }, { preventScrollReset: true })}
        tabs={TABS.map((value) => ({
          value,
          label: t(`backOffice.reports.tab.${value}`),
          content: <List status={value} />,
        }))}
      />
    </>
  )
}

function List({ status }: { status: ReportStatus }) {
  const { t } = useTranslation()
  const reports = useInfiniteQuery(reportsQuery(status))
  if (reports.isPending) return <Skeleton className="h-64 w-full rounded-lg" />
  if (!reports.data) return <ErrorState error={reports.error} onRetry={() => reports.refetch()} />
  if (reports.data.length === 0)
    return <EmptyState icon={Flag} title={t(`backOffice.reports.none.${status}`)} />
  return (
    <ListPages pages={reports} count={reportCountQuery(status)}>
      {reports.data.map((report) => (
        <ReportRow key={report.id} report={report} />
      ))}
    </ListPages>
  )
}
