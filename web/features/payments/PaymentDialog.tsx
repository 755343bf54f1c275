// Complete Payment: every line of the sum, the card, and the wait until the money is held (specification 001 §2, §8).
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '../../lib/errorText.ts'
import { formatMoney } from '../../lib/format.ts'
import { FunctionFailure } from '../../lib/functions.ts'
import { AmountLines } from '../../ui/AmountLines.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { FieldError } from '../../ui/Field.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { type PayableBooking, usePaymentIntent, usePaymentOf, useRefreshAfterPayment } from './api.ts'
import { CardEntry } from './card/CardEntry.tsx'
import type { CardTerminal } from './card/terminal.ts'
import { EscrowWait } from './EscrowWait.tsx'
import { figuresOf, giverLines } from './lines.ts'

type Stage = 'entering' | 'paying' | 'sent'

export function PaymentDialog({
  booking,
  open,
  onOpenChange,
}: {
  booking: PayableBooking
  open: boolean
  onOpenChange: (open: boolean) => void
}) {
  const [paying, setPaying] = useState(false)
  // While the card is being charged the dialog stays: what happens next must be seen.
  const change = (next: boolean) => !paying && onOpenChange(next)
  return open ? <OpenDialog booking={booking} onOpenChange={change} onPaying={setPaying} /> : null
}

function OpenDialog({
  booking,
  onOpenChange,
  onPaying,
}: {
  booking: PayableBooking
  onOpenChange: (open: boolean) => void
  onPaying: (paying: boolean) => void
}) {
  const { t } = useTranslation()
  const refresh = useRefreshAfterPayment()
  const intent = usePaymentIntent(booking)
  const [stage, setStage] = useState<Stage>('entering')
  const [failure, setFailure] = useState<string>()
  const [terminal, setTerminal] = useState<CardTerminal | null>(null)
  const payment = usePaymentOf(booking.id, { every: stage === 'sent' ? 1000 : false })
  const held = payment.data != null && payment.data.escrow_status !== 'pending'
  const running = useRef(false)

  // Paid, and the word of it is still on its way: not a failure.
  const paidBefore = intent.error instanceof FunctionFailure && intent.error.status === 409
  useEffect(() => {
    if (paidBefore) setStage('sent')
  }, [paidBefore])

  const startFailure = paidBefore ? null : intent.error
  const retry = intent.refetch
  useEffect(() => {
    if (!startFailure) return
    toast.error(t('payments.errorTitle'), {
      id: 'payment-error',
      description: t('payments.initiateFailed'),
      action: { label: t('payments.tryAgain'), onClick: () => retry() },
    })
  }, [startFailure, retry, t])

  // Paid before a reload or in another tab: then there is nothing left to pay, only to wait for.
  const clientSecret = intent.data?.clientSecret
  useEffect(() => {
    if (!terminal || !clientSecret || running.current) return
    terminal.look(clientSecret).then(
      (state) => state !== 'payable' && setStage('sent'),
      () => undefined, // paying will tell
    )
  }, [terminal, clientSecret])

  const announced = useRef(false)
  useEffect(() => {
    if (!held || announced.current) return
    announced.current = true
    refresh()
    if (stage === 'sent') {
      toast.success(t('payments.successful'), { description: t('payments.successfulBody') })
    }
  }, [held, stage, refresh, t])

  const pay = async () => {
    if (running.current || !clientSecret) return
    running.current = true
    setFailure(undefined)
    setStage('paying')
    onPaying(true)
    try {
      if (!terminal) throw new Error(t('payments.cardElementMissing'))
      const state = await terminal.pay(clientSecret)
      if (state === 'payable') throw new Error(t('payments.failedBody'))
      setStage('sent')
    } catch (error) {
      const description = errorText(error)
      setFailure(description)
      setStage('entering')
      toast.error(t('payments.failedTitle'), { description })
    } finally {
      running.current = false
      onPaying(false)
    }
  }

  const figures = figuresOf({ ...booking, payment: payment.data ?? booking.payment })
  const total = formatMoney(figures.total, { exact: true })
  const waiting = stage === 'sent' || held
  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title={t('payments.completePayment')}
      description={
        <p>
          {booking.task.title}
          {booking.doer?.full_name && ` · ${booking.doer.full_name}`}
        </p>
      }
      footer={
        waiting ? (
          <Button variant={held ? 'primary' : 'secondary'} onClick={() => onOpenChange(false)}>
            {t(held ? 'payments.done' : 'payments.closeMeanwhile')}
          </Button>
        ) : (
          <>
            <Button variant="secondary" disabled={stage === 'paying'} onClick={() => onOpenChange(false)}>
              {t('ui.cancel')}
            </Button>
            <Button disabled={!terminal || !clientSecret} loading={stage === 'paying'} onClick={pay}>
              {t('payments.pay', { total })}
            </Button>
          </>
        )
      }
    >
      {waiting ? (
        <EscrowWait total={total} held={held} />
      ) : (
        <form
          noValidate
          className="flex flex-col gap-6"
          onSubmit={(event) => {
            event.preventDefault()
            pay()
          }}
        >
          <div>
            <AmountLines lines={giverLines(figures, t('payments.total'), t)} />
            <p className="mt-2 text-sm text-ink-faint">{t('payments.escrowHint')}</p>
          </div>
          {intent.isError ? (
            <ErrorState
              title={t('payments.initiateFailed')}
              body={errorText(intent.error)}
              onRetry={() => {
                intent.refetch()
                payment.refetch()
              }}
            />
          ) : intent.data ? (
            <CardEntry
              publishableKey={intent.data.publishableKey}
              disabled={stage === 'paying'}
              ref={setTerminal}
            />
          ) : (
            <div aria-busy className="flex flex-col gap-4">
              <span role="status" className="sr-only">
                {t('payments.preparing')}
              </span>
              <Skeleton className="h-11" />
              <Skeleton className="h-11" />
            </div>
          )}
          {failure && <FieldError>{failure}</FieldError>}
          {/* Enter in any field pays; the visible button stands in the dialog's footer. */}
          <button type="submit" hidden aria-hidden tabIndex={-1} />
        </form>
      )}
    </Dialog>
  )
}
