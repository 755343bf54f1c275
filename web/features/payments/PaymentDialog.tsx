// Complete Payment: every line of the sum, the card, and the wait until the money is held (specification 001 §2, §8).
import { useQuery } from '@tanstack/react-query'
import { type Ref, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '../../lib/errorText.ts'
import { formatMoney } from '../../lib/format.ts'
import { useUserId } from '../../lib/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ExpenseTerms } from '../../ui/ExpenseTerms.tsx'
import { PriceSplit } from '../../ui/PriceSplit.tsx'
import { INITIAL_FOCUS } from '../../ui/returnFocus.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { useNarrow } from '../../ui/windowWidth.ts'
import { cardsQuery } from './api/cards.ts'
import type { PayableBooking, PayableExtra } from './api/queries.ts'
import { CardEntry } from './card/CardEntry.tsx'
import { CardChoice } from './components/CardChoice.tsx'
import { hasExpired } from './components/cardText.ts'
import { EscrowWait } from './components/EscrowWait.tsx'
import { priceOfBooking } from './lines.ts'
import { usePaying } from './usePaying.ts'

type DialogProps = {
  booking: PayableBooking
  /** The change of the price that is paid instead of the booking. */
  extra?: PayableExtra
  onClose: () => void
}

/**
 * Open while it is mounted. It is rendered above the lists of bookings, since paying moves the booking to another
 * one.
 */
export function PaymentDialog({ booking, extra, onClose }: DialogProps) {
  const { t } = useTranslation()
  const narrow = useNarrow()
  const paying = usePaying(booking, extra?.id)
  const { stage, held, failure, payment, ready, provider, pay } = paying
  const price = extra?.price ?? priceOfBooking({ ...booking, payment: payment ?? booking.payment })
  const total = formatMoney(price.total, { exact: true })
  const waiting = stage === 'sent' || held
  const saved = useSavedCards()
  const { chosen } = saved
  const payNow = () => pay(chosen ?? undefined)
  const choice = useRef<HTMLFieldSetElement>(null)
  const refusal = useId()
  // A refused card has the focus, where it is chosen or where it is entered.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice moves nothing
  useEffect(() => {
    if (!failure) return
    if (chosen === null) provider?.focus(failure)
    else choice.current?.querySelector<HTMLElement>(':checked')?.focus()
    // In the middle: the reason and the toast take room at both edges.
    document.activeElement?.scrollIntoView({ block: 'center' })
  }, [failure])
  return (
    <Dialog
      open
      // While the card is being charged the dialog stays: what happens next must be seen.
      onOpenChange={(next) => !next && stage !== 'charging' && onClose()}
      title={t('payments.completePayment')}
      description={<About booking={booking} extra={extra} />}
      problem={failure && !waiting ? errorText(failure) : null}
      problemId={refusal}
      footer={
        waiting ? (
          // Keyed, or React would make it of the Cancel button, which takes no focus.
          <Button key="leave" autoFocus variant={held ? 'primary' : 'secondary'} onClick={onClose}>
            {t(held ? 'payments.done' : 'payments.closeMeanwhile')}
          </Button>
        ) : (
          <>
            <Button variant="secondary" disabled={stage === 'charging'} onClick={onClose}>
              {t('ui.cancel')}
            </Button>
            <Button disabled={!ready} loading={stage === 'charging'} onClick={payNow}>
              {t('payments.pay', { total })}
            </Button>
          </>
        )
      }
    >
      {waiting ? (
        <EscrowWait total={total} held={held} done={extra?.done} />
      ) : (
        <form
          noValidate
          className="flex flex-col gap-6"
          onSubmit={(event) => {
            event.preventDefault()
            payNow()
          }}
        >
          {/* On a phone the dialog opens here: the card's field would scroll the price away. */}
          <div tabIndex={-1} {...(narrow && INITIAL_FOCUS)} className="rounded-md outline-offset-4">
            <PriceSplit price={price} side="giver" other={booking.doer?.full_name} unfolded>
              {!extra && <ExpenseTerms limit={booking.expense_limit} side="giver" className="mt-1" />}
            </PriceSplit>
            <p className="mt-2 text-sm text-ink-faint">{extra?.hint ?? t('payments.escrowHint')}</p>
          </div>
          <CardFields paying={paying} saved={saved} choice={choice} refusal={refusal} />
          {/* Enter in any field pays; the visible button is in the dialog's footer. */}
          <button type="submit" hidden />
        </form>
      )}
    </Dialog>
  )
}

/** Saved cards are a convenience: where they cannot be read, a card is entered. `chosen` is null for a card to enter. */
function useSavedCards() {
  const saved = useQuery(cardsQuery(useUserId()))
  const cards = (saved.data ?? []).filter((card) => !hasExpired(card))
  const first = cards.find((card) => card.is_default) ?? cards[0]
  const [picked, pick] = useState<string | null>()
  const chosen = picked === undefined ? (first?.stripe_payment_method_id ?? null) : picked
  return { cards, isPending: saved.isPending, chosen, pick }
}

type CardFieldsProps = {
  paying: ReturnType<typeof usePaying>
  saved: ReturnType<typeof useSavedCards>
  choice: Ref<HTMLFieldSetElement>
  /** The id of the reason why the card was refused. */
  refusal: string
}

/** The choice of a saved card, and the fields of another one. */
function CardFields({ paying, saved, choice, refusal }: CardFieldsProps) {
  const { t } = useTranslation()
  const { stage, failure, forgetFailure, startFailure, intent, setProvider } = paying
  const { cards, chosen, pick } = saved
  if (startFailure) {
    return (
      <ErrorState
        title={t('payments.initiateFailed')}
        body={errorText(startFailure)}
        onRetry={() => intent.refetch()}
      />
    )
  }
  if (!intent.data || saved.isPending) return <Preparing />
  return (
    <div className="flex flex-col gap-5">
      {cards.length > 0 && (
        <CardChoice
          ref={choice}
          cards={cards}
          chosen={chosen}
          disabled={stage === 'charging'}
          onChoose={(card) => {
            pick(card)
            forgetFailure()
          }}
        />
      )}
      <CardEntry
        publishableKey={intent.data.publishableKey}
        disabled={stage === 'charging'}
        hidden={chosen !== null}
        failure={failure}
        refusal={refusal}
        onEdit={forgetFailure}
        ref={setProvider}
      />
    </div>
  )
}

/** The change that is paid, the task and the payee, each in its own text direction. */
function About({
  booking: { task, doer },
  extra,
}: {
  booking: PayableBooking
  extra: PayableExtra | undefined
}) {
  return (
    <p className="in-page-order">
      {extra && (
        <>
          <bdi>{extra.about}</bdi>
          <span>{'\u00A0· '}</span>
        </>
      )}
      <bdi>{task.title}</bdi>
      {doer?.full_name && (
        <>
          <span>{'\u00A0· '}</span>
          <bdi>{doer.full_name}</bdi>
        </>
      )}
    </p>
  )
}

function Preparing() {
  const { t } = useTranslation()
  return (
    <div aria-busy className="flex flex-col gap-4">
      <span role="status" className="sr-only">
        {t('payments.preparing')}
      </span>
      <Skeleton className="h-11" />
      <Skeleton className="h-11" />
    </div>
  )
}
