// The button to propose another time for a booking, while its time can change and no proposal waits.
import { CalendarSync } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/Button.tsx'
import type { Booking } from '../api/queries.ts'
import { isMovable, openProposal } from '../proposals.ts'

const ProposeTimeDialog = lazy(() => import('./ProposeTimeDialog.tsx'))

/** `name` is that of the other person. */
export function ProposeTime({ booking, name }: { booking: Booking; name: string }) {
  const { t } = useTranslation()
  const [proposing, setProposing] = useState(false)
  if (!isMovable(booking) || openProposal(booking)) return null
  return (
    <>
      <Button variant="secondary" size="sm" onClick={() => setProposing(true)}>
        <CalendarSync aria-hidden />
        <span>{t('bookings.proposeTime')}</span>
      </Button>
      <Suspense>
        {proposing && <ProposeTimeDialog booking={booking} name={name} onClose={() => setProposing(false)} />}
      </Suspense>
    </>
  )
}
