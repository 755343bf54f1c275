// Skipping an unpaid visit of a series, or telling that a visit for snow is not needed.
import { useTranslation } from 'react-i18next'
import { clockOf } from '../../../../shared/placeClocks.ts'
import { errorText } from '../../../lib/errorText.ts'
import { formatDateTime } from '../../../lib/format.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import type { Booking } from '../api/queries.ts'
import { skipVisit } from '../api/series.ts'

type SkipDialogProps = { booking: Booking; snow: boolean; onClose: () => void }

/** Loaded when it is first opened: import it with `lazy(() => import('./SkipDialog.tsx'))`. */
export default function SkipDialog({ booking, snow, onClose }: SkipDialogProps) {
  const { t } = useTranslation()
  const skipping = useAction(skipVisit(booking.id), {
    onSuccess: () => {
      onClose()
      toast.success(t('repeats.skipped'))
    },
  })
  const at = booking.task.scheduled_date
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && !skipping.isPending && onClose()}
      title={t(snow ? 'repeats.notNeededTitle' : 'repeats.skipTitle')}
      description={
        <p>
          {t('repeats.skipBody', { at: at ? formatDateTime(at, clockOf(booking.task)) : t('tasks.anyTime') })}
        </p>
      }
      confirmLabel={t(snow ? 'repeats.notNeeded' : 'repeats.skip')}
      cancelLabel={t('repeats.keep')}
      onConfirm={() => skipping.mutate()}
      loading={skipping.isPending}
      problem={skipping.error && errorText(skipping.error)}
      danger
    />
  )
}
