// Cancel Booking, and Withdraw Application before anybody has accepted it: the cost is shown before it is confirmed
// (specification 001 §9, design §4).
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { cancellationFee, fees } from '../../../shared/fees.ts'
import { limits } from '../../../shared/limits.ts'
import { cents } from '../../../shared/money.ts'
import { clockOf } from '../../../shared/placeClocks.ts'
import { trimmed } from '../../../shared/text.ts'
import type { TextKey } from '../../i18n/index.ts'
import { errorText } from '../../lib/errorText.ts'
import { formatDateTime } from '../../lib/format.ts'
import { postedTime } from '../../lib/offers.ts'
import { z } from '../../lib/zod.ts'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { AmountLines } from '../../ui/AmountLines.tsx'
import { useErrorText } from '../../ui/form/errors.ts'
import { Form } from '../../ui/form/Form.tsx'
import { useZodForm } from '../../ui/form/useZodForm.ts'
import { Textarea } from '../../ui/Input.tsx'
import { RadioCards } from '../../ui/RadioCards.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { useAction } from '../../ui/useAction.ts'
import { cancelBooking } from './api/actions.ts'
import { type Booking, type Listing, listingAfterQuery, type Side } from './api/queries.ts'
import { feeRule, increaseFee, nextStep } from './cancellationRate.ts'

const LISTING = {
  listed_again: 'bookings.listedAgain',
  closed: 'bookings.notListedAgain',
  on_hold: 'bookings.staysOnHold',
} satisfies Record<Listing, TextKey>

const LISTING_FOR_TASKER = {
  listed_again: 'bookings.opensAgain',
  closed: 'bookings.closesForTasker',
  on_hold: 'bookings.onHoldForTasker',
} satisfies Record<Listing, TextKey>

const UNCHOSEN: TextKey = 'bookings.afterwardsRequired'

/** `asksAfterwards`: the giver must choose what happens to the task; '' until then. */
const schemaOf = (asksAfterwards: boolean) =>
  z.object({
    afterwards: z
      .enum(['', 'list', 'close'])
      .refine((chosen) => chosen !== '' || !asksAfterwards, { error: UNCHOSEN }),
    reason: z.string().overwrite(trimmed),
  })

type CancelProps = { booking: Booking; side: Side; open: boolean; onOpenChange: (open: boolean) => void }

export function CancelDialog({ booking, side, open, onOpenChange }: CancelProps) {
  const { t } = useTranslation()
  const applied = booking.status === 'pending'
  const title = t(applied ? 'bookings.withdraw' : 'bookings.cancel')
  const errorOf = useErrorText()
  const scheduled = postedTime(booking, booking.task.scheduled_date)
  const { data: listing } = useQuery({ ...listingAfterQuery(booking.id), enabled: open && !applied })
  // The device's clock counts only until the database has answered.
  const visit = booking.series_id !== null
  const closes = visit || (listing === undefined ? isPast(booking) : listing === 'closed')
  const asksAfterwards = side === 'giver' && !closes
  const form = useZodForm(schemaOf(asksAfterwards), { defaultValues: { afterwards: '', reason: '' } })
  const cancelling = useAction(cancelBooking(booking.id), {
    onSuccess: (answer) => {
      onOpenChange(false)
      if (applied) return toast.success(t('bookings.withdrawn'))
      const task = side === 'giver' && !visit && answer?.listing && t(LISTING[answer.listing])
      toast.success(t('bookings.cancelled'), {
        description: [answer?.message, task].filter(Boolean).join(' '),
      })
    },
    // The question stays, with the reason that was typed.
    onError: () => toast.error(t('bookings.cancelFailed')),
  })
  const cancel = ({ afterwards, reason }: { afterwards: string; reason: string }) =>
    cancelling.mutate({ reason, listAgain: asksAfterwards && afterwards === 'list' })
  function listAgainHint() {
    if (listing === 'on_hold') return t('bookings.staysOnHold')
    return scheduled
      ? t('bookings.listAgainAt', { at: formatDateTime(scheduled, clockOf(booking.task)) })
      : t('bookings.listAgainHint')
  }
  return (
    <AlertDialog
      open={open}
      onOpenChange={(next) => {
        if (cancelling.isPending) return
        cancelling.reset()
        onOpenChange(next)
      }}
      title={title}
      description={<Consequence booking={booking} side={side} listing={listing} />}
      confirmLabel={title}
      cancelLabel={t(applied ? 'bookings.keepApplication' : 'bookings.keep')}
      onConfirm={form.handleSubmit(cancel)}
      loading={cancelling.isPending}
      problem={cancelling.error && errorText(cancelling.error)}
      danger
    >
      <Form form={form} submission={cancelling} onSubmit={cancel}>
        {visit && <p>{t('bookings.othersStay')}</p>}
        {side === 'giver' && !visit && !asksAfterwards && <p>{t('bookings.closesAsPast')}</p>}
        {asksAfterwards && (
          <RadioCards
            legend={t('bookings.afterwards')}
            error={errorOf(form.formState.errors.afterwards)}
            options={[
              {
                value: 'list',
                title: t('bookings.listAgain'),
                hint: listAgainHint(),
              },
              { value: 'close', title: t('bookings.closeTask'), hint: t('bookings.closeTaskHint') },
            ]}
            {...form.register('afterwards')}
          />
        )}
        <form.Field name="reason" label={t('bookings.reason')} hint={t('bookings.reasonHint')} optional>
          <Textarea rows={2} maxLength={limits.cancellationReason.max} className="max-h-40 min-h-16" />
        </form.Field>
      </Form>
    </AlertDialog>
  )
}

/** Whether the task's time has come, by the device's clock: then it is closed with the booking. */
function isPast(booking: Booking): boolean {
  const at = postedTime(booking, booking.task.scheduled_date)
  return at !== null && new Date(at) <= new Date()
}

/** The consequence of cancelling now for this side. Only a giver who has paid owes a fee. */
function Consequence({
  booking,
  side,
  listing,
}: Pick<CancelProps, 'booking' | 'side'> & { listing: Listing | undefined }) {
  const { t } = useTranslation()
  if (booking.status === 'pending') return <p>{t('bookings.cancelPending')}</p>
  const unpaid = booking.status === 'accepted' || !booking.payment
  if (side === 'tasker') {
    return (
      <div className="flex flex-col gap-3">
        <p>{t(unpaid ? 'bookings.cancelUnpaid' : 'bookings.cancelByTasker')}</p>
        {!booking.series_id && (
          <p className="min-h-[2lh] sm:min-h-[1lh]">{listing && t(LISTING_FOR_TASKER[listing])}</p>
        )}
        {!unpaid && booking.payment && (
          <AmountLines
            lines={[
              {
                label: t('bookings.getsBack', { name: booking.task.giver?.full_name ?? t('ui.deletedUser') }),
                amount: cents(booking.payment.total + extrasOf(booking).paid),
              },
              { label: t('ui.price.youGet'), amount: cents(0), total: true },
            ]}
          />
        )}
      </div>
    )
  }
  if (!booking.payment || unpaid) return <p>{t('bookings.cancelUnpaid')}</p>
  return <Fee booking={booking} payment={booking.payment} />
}

function Fee({ booking, payment }: { booking: Booking; payment: NonNullable<Booking['payment']> }) {
  const { t } = useTranslation()
  const now = useNow()
  const scheduled = booking.task.scheduled_date
  const extras = extrasOf(booking)
  const price = cents(payment.amount - payment.reduction)
  const paid = cents(payment.total + extras.paid)
  const main = cancellationFee(price, scheduled === null ? null : new Date(scheduled), now)
  const added = extras.increases.map((amount) => increaseFee(amount, scheduled, now))
  const fee = cents(main + added.reduce((sum, one) => sum + one, 0))
  const share = [main, ...added].reduce((sum, one) => sum + fees(one).payout, 0)
  const next = scheduled && nextStep(scheduled, now)
  return (
    <div className="flex flex-col gap-3">
      <p>{t(feeRule(scheduled, now))}</p>
      <AmountLines
        lines={[
          { label: t('ui.price.youPaid'), amount: paid },
          { label: t('bookings.cancellationFee'), amount: fee, less: true },
          ...(extras.expenses > 0
            ? [{ label: t('bookings.expensesPaid'), amount: extras.expenses, less: true }]
            : []),
          { label: t('bookings.refund'), amount: cents(paid - fee - extras.expenses), total: true },
        ]}
      />
      <AmountLines
        className="rounded-md bg-sunken px-3 py-2 text-sm"
        lines={[
          {
            label: t('ui.price.gets', { name: booking.doer?.full_name ?? t('ui.deletedUser') }),
            amount: cents(share + extras.expenses),
          },
          { label: t('ui.price.feeAndGst'), amount: cents(fee - share) },
        ]}
      />
      <p className="text-sm">
        {next && (
          <span>{`${t(`bookings.feeNext.${next.rate}`, { at: formatDateTime(next.at, clockOf(booking.task)) })} `}</span>
        )}
        <span>{t('bookings.refundTime')}</span>
      </p>
    </div>
  )
}

/** The extra payments that are held: all that was paid, each increase before fees, and the sum of expenses. */
function extrasOf({ changes }: Booking) {
  const held = changes.filter(({ payment }) => payment && ['held', 'frozen'].includes(payment.escrow_status))
  const ofKind = (kind: string) => held.flatMap((change) => (change.kind === kind ? [change.amount] : []))
  return {
    paid: held.reduce((sum, { payment }) => sum + (payment?.total ?? 0), 0),
    increases: ofKind('increase'),
    expenses: cents(ofKind('expense').reduce((sum, amount) => sum + amount, 0)),
  }
}

/** The time, kept current while the question is open: a fee may rise meanwhile. */
function useNow(): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 10_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
