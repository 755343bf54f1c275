// The giver's complaint within 24 hours of completion: what is wrong, and what happens then (specification 000 §9).
import { addHours, isBefore } from 'date-fns'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { trimmed, visibleLength } from '../../../../shared/text.ts'
import { errorText } from '../../../lib/errorText.ts'
import { formatDateTime } from '../../../lib/format.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/form/Field.tsx'
import { Textarea } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { type PayableBooking, useComplain } from '../api/queries.ts'

/** Nothing once the time is over. */
export function ComplaintButton({ booking }: { booking: PayableBooking }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<string>()
  const complaining = useComplain({
    bookingId: booking.id,
    onComplained: () => {
      setOpen(false)
      toast.success(t('payments.complained'), { description: t('payments.complainedBody') })
    },
    onFailed: (error) => setProblem(errorText(error)),
  })
  if (!booking.completed_at) return null
  const until = addHours(booking.completed_at, limits.complaint.hours)
  if (!isBefore(new Date(), until)) return null

  const complain = () => {
    const text = trimmed(reason)
    const short = visibleLength(text) < limits.complaint.min
    const long = [...text].length > limits.complaint.max
    setProblem(short ? t('payments.complaintTooShort') : long ? t('payments.complaintTooLong') : undefined)
    if (!short && !long) complaining.mutate(text)
  }
  return (
    <>
      <Button variant="secondary" onClick={() => setOpen(true)}>
        {t('payments.complain')}
      </Button>
      <p className="text-sm text-ink-faint">
        {t('payments.complainUntil', { at: formatDateTime(until.toISOString()) })}
      </p>
      <AlertDialog
        open={open}
        onOpenChange={(next) => !complaining.isPending && setOpen(next)}
        title={t('payments.complaintTitle')}
        description={t('payments.complaintBody', {
          name: booking.doer?.full_name ?? t('payments.theTasker'),
        })}
        confirmLabel={t('payments.sendComplaint')}
        onConfirm={complain}
        loading={complaining.isPending}
      >
        <Field
          label={t('payments.complaintReason')}
          hint={t('payments.complaintHint')}
          error={problem}
          required
        >
          <Textarea
            rows={4}
            className="max-h-60"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </Field>
      </AlertDialog>
    </>
  )
}
