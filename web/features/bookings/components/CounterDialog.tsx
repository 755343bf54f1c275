// The giver's one counter-offer: a price, a time or none, and a few words.
import { useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { priceOf } from '../../../../shared/fees.ts'
import { limits } from '../../../../shared/limits.ts'
import { fromDollars } from '../../../../shared/money.ts'
import { clockOf } from '../../../../shared/placeClocks.ts'
import { trimmed } from '../../../../shared/text.ts'
import type { TextKey } from '../../../i18n/index.ts'
import { centsFrom, hasTooManyDecimals } from '../../../lib/amounts.ts'
import { formatDateTime, formatNumber, localFromInstant } from '../../../lib/format.ts'
import { byClock, coming } from '../../../lib/typedTimes.ts'
import { z } from '../../../lib/zod.ts'
import { AmountInput } from '../../../ui/AmountInput.tsx'
import { Button } from '../../../ui/Button.tsx'
import { ClockNote } from '../../../ui/ClockNote.tsx'
import { ContactsWillBeHidden } from '../../../ui/ContactNotice.tsx'
import { DateInput } from '../../../ui/DateInput.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Textarea } from '../../../ui/Input.tsx'
import { PriceSplit } from '../../../ui/PriceSplit.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { counterOffer } from '../api/actions.ts'
import type { Booking } from '../api/queries.ts'

const key = (text: TextKey) => text

/** More than a price can be. */
const isTooHigh = (typed: string) => (centsFrom(typed) ?? 0) > fromDollars(limits.payAmount.max)

/** The typed price in cents when it is within the limits, else null. */
function priceFrom(typed: string) {
  const amount = hasTooManyDecimals(typed) ? null : centsFrom(typed)
  const { min, max } = limits.payAmount
  return amount !== null && amount >= fromDollars(min) && amount <= fromDollars(max) ? amount : null
}

const rules = z.object({
  counter_amount: z
    .string()
    .refine((typed) => !isTooHigh(typed), { error: key('tasks.payTooHigh'), abort: true })
    .transform(priceFrom)
    .refine((amount) => amount !== null, key('bookings.offer.amountInvalid')),
  counter_starts_at: coming(),
  counter_message: z.string().overwrite(trimmed),
})
/** Its time is typed by the clock of the task's place. */
const counterSchema = (timeZone: string) => byClock(rules, ['counter_starts_at'], () => timeZone)

type CounterDialogProps = {
  booking: Booking
  name: string
  onClose: () => void
}

/** Loaded when it is first opened: import it with `lazy(() => import('./CounterDialog.tsx'))`. */
export default function CounterDialog({ booking, name, onClose }: CounterDialogProps) {
  const { t } = useTranslation()
  const timeZone = clockOf(booking.task)
  const form = useZodForm(counterSchema(timeZone), {
    defaultValues: { counter_amount: '', counter_starts_at: '', counter_message: '' },
    draft: `counter:${booking.id}`,
  })
  const [typed, startsAt, message] = useWatch({
    control: form.control,
    name: ['counter_amount', 'counter_starts_at', 'counter_message'],
  })
  const amount = priceFrom(typed)
  const countering = useAction(counterOffer(booking.id), {
    onSuccess: () => {
      form.dropDraft()
      onClose()
      toast.success(t('bookings.offer.counterSent'))
    },
  })
  const scheduled = booking.task.scheduled_date
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !countering.isPending && onClose()}
      title={t('bookings.offer.counterTitle')}
      description={t('bookings.offer.counterBody', { name, hours: formatNumber(limits.offer.counterHours) })}
    >
      <Form
        form={form}
        submission={countering}
        onSubmit={({ counter_amount, counter_starts_at, counter_message }) => {
          if (counter_amount !== null)
            countering.mutate({
              amount: counter_amount,
              startsAt: counter_starts_at,
              message: counter_message,
            })
        }}
      >
        <form.Field
          name="counter_amount"
          label={t('bookings.offer.counterAmount')}
          hint={t('tasks.payHint')}
          required
        >
          <AmountInput className="tabular" />
        </form.Field>
        {amount !== null && <PriceSplit price={priceOf(amount)} side="giver" other={name} />}
        {!booking.task.repeats && (
          <>
            <form.Field
              name="counter_starts_at"
              label={t('applying.offer.when')}
              hint={
                scheduled
                  ? t('applying.offer.whenHint', { posted: formatDateTime(scheduled, timeZone) })
                  : t('applying.offer.whenHintAny')
              }
              optional
            >
              <DateInput withTime min={localFromInstant(new Date(), timeZone)} />
            </form.Field>
            <ClockNote typed={startsAt} timeZone={timeZone} />
          </>
        )}
        <form.Field name="counter_message" label={t('bookings.offer.counterMessage')} optional>
          <Textarea rows={2} maxLength={limits.counterMessage.max} className="max-h-40 min-h-16" />
        </form.Field>
        <ContactsWillBeHidden text={message} />
        <SubmissionError />
        <div className="flex flex-wrap justify-end gap-2">
          <Button variant="secondary" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <SubmitButton>{t('bookings.offer.counterSend')}</SubmitButton>
        </div>
      </Form>
    </Dialog>
  )
}
