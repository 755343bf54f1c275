// An admin's lists of complaints: undecided ones, disputes of banks, and decided ones, with the dialog that decides
// one. Each part loads and fails separately.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Scale } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useUserId } from '../../../lib/session.tsx'
import { useDebounced } from '../../../lib/useDebounced.ts'
import { SearchField } from '../../../ui/SearchField.tsx'
import { Spinner } from '../../../ui/Spinner.tsx'
import { EmptyState, ErrorState } from '../../../ui/States.tsx'
import { type Complaint, complaintCountQuery, complaintsQuery } from '../api/complaints.ts'
import { AdminSection } from './AdminSection.tsx'
import { Disputes, Losses } from './Chargebacks.tsx'
import { ComplaintDialog } from './ComplaintDialog.tsx'
import { ComplaintRow } from './ComplaintRow.tsx'
import { DecidedRow } from './DecidedRow.tsx'
import { ListPages } from './ListPages.tsx'
import { TYPING_DELAY_MS } from './People.tsx'

type ComplaintsProps = { text: string; onType: (text: string) => void }

export function Complaints({ text, onType }: ComplaintsProps) {
  const { t } = useTranslation()
  const search = useDebounced(text.trim(), TYPING_DELAY_MS)
  return (
    <>
      <SearchField label={t('admin.searchComplaints')} text={text} onType={onType} />
      <Open search={search} />
      {!search && <Losses />}
      {!search && <Disputes />}
      <Decided search={search} />
    </>
  )
}

function Open({ search }: { search: string }) {
  const { t } = useTranslation()
  const userId = useUserId()
  const complaints = useInfiniteQuery(complaintsQuery(search, false))
  const [chosen, setChosen] = useState<Complaint>()
  const { data: found } = complaints
  return (
    <AdminSection title={t('admin.complaintsOpen')}>
      {complaints.isPending && <Spinner label={t('ui.loading')} />}
      {complaints.isError && !found && (
        <ErrorState title={t('admin.complaintsFailed')} onRetry={() => complaints.refetch()} />
      )}
      {found?.length === 0 && (
        <EmptyState icon={Scale} title={t(search ? 'admin.noComplaintFound' : 'admin.noComplaints')} />
      )}
      {found && found.length > 0 && (
        <ListPages pages={complaints} count={complaintCountQuery(search, false)}>
          {found.map((complaint) => (
            <ComplaintRow
              key={complaint.id}
              complaint={complaint}
              own={[complaint.giver_id, complaint.tasker_id].includes(userId)}
              onChoose={() => setChosen(complaint)}
            />
          ))}
        </ListPages>
      )}
      {chosen && <ComplaintDialog complaint={chosen} onClose={() => setChosen(undefined)} />}
    </AdminSection>
  )
}

function Decided({ search }: { search: string }) {
  const { t } = useTranslation()
  const complaints = useInfiniteQuery(complaintsQuery(search, true))
  const { data: found } = complaints
  if (complaints.isPending) return null
  return (
    <AdminSection title={t('admin.complaintsDecided')}>
      {complaints.isError && !found && (
        <ErrorState title={t('admin.complaintsFailed')} onRetry={() => complaints.refetch()} />
      )}
      {found?.length === 0 && (
        <p className="text-ink-soft">{t(search ? 'admin.noComplaintFound' : 'admin.noneDecided')}</p>
      )}
      {found && found.length > 0 && (
        <ListPages pages={complaints} count={complaintCountQuery(search, true)}>
          {found.map((complaint) => (
            <DecidedRow key={complaint.id} complaint={complaint} />
          ))}
        </ListPages>
      )}
    </AdminSection>
  )
}
