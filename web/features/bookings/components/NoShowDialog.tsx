// Reporting that the other person did not come, with the rule of the fee.
import { useTranslation } from 'react-i18next'
import { useUserId } from '../../../lib/session.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { reportNoShow } from '../api/dayOfWork.ts'
import type { Booking, Side } from '../api/queries.ts'
import { NoShowForm } from './NoShowForm.tsx'
import { NoShowRule } from './NoShowRule.tsx'

type DialogProps = { booking: Booking; side: Side; name: string; onClose: () => void }

/** Loaded when it is first opened: import it with `lazy(() => import('./NoShowDialog.tsx'))`. */
export default function NoShowDialog({ booking, side, name, onClose }: DialogProps) {
  const { t } = useTranslation()
  const missing = side === 'giver' ? 'tasker' : 'giver'
  const reporting = useAction(reportNoShow(booking.id, useUserId()), {
    onSuccess: () => {
      onClose()
      toast.success(t('schedule.noShow.reported'), {
        description: t('schedule.noShow.reportedBody', { name }),
      })
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !reporting.isPending && onClose()}
      title={t(`bookings.noShow.${missing}`, { name })}
      description={<NoShowRule missing={missing} />}
    >
      <NoShowForm
        draft={`noShow:${booking.id}`}
        bookingId={booking.id}
        label={t('schedule.noShow.whatHappened')}
        needsPhoto={missing === 'giver'}
        submission={reporting}
        submitLabel={t('schedule.noShow.report')}
        onSubmit={reporting.mutate}
      />
    </Dialog>
  )
}
