// The giver's complaint within 24 hours of completion, or of the agreed end where that is later: what is wrong, and what happens then (specification 000 §9).
import { addHours, isBefore } from 'date-fns'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { confirmationFrom } from '../../../lib/confirmationFrom.ts'
import { errorText } from '../../../lib/errorText.ts'
import { formatDateTime } from '../../../lib/format.ts'
import { z } from '../../../lib/zod.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Textarea } from '../../../ui/Input.tsx'
import { PriceSplit } from '../../../ui/PriceSplit.tsx'
import { PhotoField } from '../../../ui/photos/PhotoField.tsx'
import { photoNames } from '../../../ui/photos/photoNames.ts'
import { INITIAL_FOCUS } from '../../../ui/returnFocus.ts'
import { useAction } from '../../../ui/useAction.ts'
import { complain } from '../api/actions.ts'
import type { PayableBooking } from '../api/queries.ts'
import { priceOfBooking } from '../lines.ts'
import { complaintText } from '../schema.ts'

const schema = z.object({
  reason: complaintText('payments.complaintTooShort', 'payments.complaintTooLong'),
  photos: photoNames,
})

/** Nothing once the time is over. */
export function ComplaintButton({ booking }: { booking: PayableBooking }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const form = useZodForm(schema, {
    defaultValues: { reason: '', photos: [] },
    draft: `complaint:${booking.id}`,
  })
  const complaining = useAction(complain(booking.id), {
    onSuccess: () => {
      form.dropDraft()
      setOpen(false)
    },
    onError: (error) => form.setError('reason', { message: errorText(error) }),
  })
  const from = confirmationFrom(booking)
  if (!from) return null
  const until = addHours(from, limits.complaint.hours)
  if (!isBefore(new Date(), until)) return null

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
        onConfirm={form.handleSubmit(complaining.mutate)}
        loading={complaining.isPending}
      >
        <PriceSplit
          price={priceOfBooking(booking)}
          side="giver"
          other={booking.doer?.full_name}
          paid
          className="mb-4"
        />
        <Form form={form} submission={complaining} onSubmit={complaining.mutate}>
          <form.Field
            name="reason"
            label={t('payments.complaintReason')}
            hint={t('payments.complaintHint')}
            required
          >
            <Textarea rows={4} className="max-h-60" {...INITIAL_FOCUS} />
          </form.Field>
          <PhotoField<z.input<typeof schema>>
            name="photos"
            label={t('payments.photos')}
            hint={t('payments.photosHint')}
            bucket="booking-photos"
            folder={booking.id}
          />
        </Form>
      </AlertDialog>
    </>
  )
}
