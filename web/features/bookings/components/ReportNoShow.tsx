// The button to report that the other person did not come, once their time is over.
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/Button.tsx'
import type { Booking, Side } from '../api/queries.ts'
import { canReportNoShow } from '../dayOfWork.ts'

const NoShowDialog = lazy(() => import('./NoShowDialog.tsx'))

/** `name` is that of the other person. */
export function ReportNoShow({ booking, side, name }: { booking: Booking; side: Side; name: string }) {
  const { t } = useTranslation()
  const [reporting, setReporting] = useState(false)
  if (!canReportNoShow(booking, side)) return null
  return (
    <>
      <Button variant="secondary" size="sm" onClick={() => setReporting(true)}>
        {t(`bookings.noShow.${side === 'giver' ? 'tasker' : 'giver'}`, { name })}
      </Button>
      <Suspense>
        {reporting && (
          <NoShowDialog booking={booking} side={side} name={name} onClose={() => setReporting(false)} />
        )}
      </Suspense>
    </>
  )
}
