// The complaints that nobody has decided, and the dialog that decides one.
import { Scale } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../ui/States.tsx'
import { ComplaintDialog } from './ComplaintDialog.tsx'
import { ComplaintRow } from './ComplaintRow.tsx'
import type { Complaint } from './complaints.ts'

/** `wanted` narrows the list, in lower case: the task's title or a name. */
export function Complaints({ complaints, wanted }: { complaints: Complaint[]; wanted: string }) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState<Complaint>()
  const found = complaints.filter(({ booking, payment }) =>
    `${booking.task.title} ${payment.payer?.full_name ?? ''} ${payment.payee?.full_name ?? ''}`
      .toLowerCase()
      .includes(wanted),
  )
  return (
    <>
      {found.length === 0 ? (
        <EmptyState icon={Scale} title={t(wanted ? 'admin.noComplaintFound' : 'admin.noComplaints')} />
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {found.map((complaint) => (
            <ComplaintRow key={complaint.id} complaint={complaint} onChoose={() => setChosen(complaint)} />
          ))}
        </ul>
      )}
      {chosen && <ComplaintDialog complaint={chosen} onClose={() => setChosen(undefined)} />}
    </>
  )
}
