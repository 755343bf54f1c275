// The giver's answer to an offer of another price: accept one of its prices, make the one counter-offer, or decline.
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { priceOf } from '../../../../shared/fees.ts'
import { formatMoney, formatNearDateTime } from '../../../lib/format.ts'
import type { OfferOption } from '../../../lib/offers.ts'
import { Button } from '../../../ui/Button.tsx'
import { HiddenContacts } from '../../../ui/ContactNotice.tsx'
import { PriceSplit } from '../../../ui/PriceSplit.tsx'
import { Quote } from '../../../ui/Quote.tsx'
import type { Booking } from '../api/queries.ts'
import { BookingExpenses } from './BookingExpenses.tsx'
import { Decision } from './Decision.tsx'
import { OfferChoice, OfferLine } from './OfferTerms.tsx'

const CounterDialog = lazy(() => import('./CounterDialog.tsx'))

type OfferDecisionProps = { booking: Booking; options: OfferOption[]; onAccepted: () => void }

export function OfferDecision({ booking, options, onAccepted }: OfferDecisionProps) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState(options.length === 1 ? 1 : 0)
  const [countering, setCountering] = useState(false)
  const name = booking.doer?.full_name ?? t('ui.deletedUser')
  const option = options[chosen - 1]
  const waits = booking.counter_state === 'open'
  return (
    <div className="flex flex-col gap-4">
      {waits ? (
        <CounterWaits booking={booking} name={name} />
      ) : (
        <>
          <OfferChoice booking={booking} options={options} chosen={chosen} onChoose={setChosen} />
          {option && <PriceSplit price={priceOf(option.amount)} side="giver" other={name} />}
        </>
      )}
      <BookingExpenses booking={booking} side="giver" />
      {booking.offer_reason && (
        <Quote by={t('bookings.offer.reasonOf', { name })} className="mt-0">
          {booking.offer_reason}
        </Quote>
      )}
      <HiddenContacts texts={[booking.offer_reason]} />
      <CounterOutcome booking={booking} name={name} />
      {booking.answer_by && !waits && (
        <p className="text-sm text-ink-soft">
          {t('bookings.offer.answerBy', { at: formatNearDateTime(booking.answer_by) })}
        </p>
      )}
      <Decision
        booking={booking}
        onAccepted={onAccepted}
        terms={waits ? null : option ? { option: chosen, amount: option.amount } : 'unchosen'}
      >
        {!waits && booking.counter_state === null && !booking.task.on_hold && (
          <Button variant="secondary" className="flex-auto" onClick={() => setCountering(true)}>
            {t('bookings.offer.counter')}
          </Button>
        )}
      </Decision>
      <Suspense>
        {countering && <CounterDialog booking={booking} name={name} onClose={() => setCountering(false)} />}
      </Suspense>
    </div>
  )
}

/** The giver's counter-offer while the tasker has it. */
function CounterWaits({ booking, name }: { booking: Booking; name: string }) {
  const { t } = useTranslation()
  const { counter_amount, counter_starts_at, counter_message, answer_by } = booking
  if (counter_amount === null) return null
  return (
    <div>
      <p className="mb-1 font-semibold">{t('bookings.offer.yourCounter')}</p>
      <OfferLine
        option={{ amount: counter_amount, starts_at: counter_starts_at }}
        booking={booking}
        side="giver"
      />
      {answer_by && (
        <p className="mt-2 rounded-md bg-wheat-soft p-3">
          {t('bookings.offer.waits', { name, at: formatNearDateTime(answer_by) })}
        </p>
      )}
      {counter_message && <Quote by={t('bookings.yourMessage')}>{counter_message}</Quote>}
    </div>
  )
}

/** How the counter-offer ended, while the offer is open again. */
function CounterOutcome({ booking, name }: { booking: Booking; name: string }) {
  const { t } = useTranslation()
  const { counter_state, counter_amount } = booking
  if (counter_amount === null || (counter_state !== 'declined' && counter_state !== 'lapsed')) return null
  return (
    <p className="rounded-md bg-sunken p-3">
      {t(`bookings.offer.${counter_state}`, { name, amount: formatMoney(counter_amount, { exact: true }) })}
    </p>
  )
}
