// The course of one payment: prepare, charge the card, wait until the verified webhook has put the money into escrow.
// A card is charged once: a payment sent before, from another tab or before a reload, is only waited for.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FunctionFailure } from '../../lib/functions.ts'
import { toast } from '../../ui/Toaster.tsx'
import { PAYMENT_KEYS } from './api/actions.ts'
import { type PayableBooking, paymentIntentQuery, usePayment } from './api/queries.ts'
import { CardFieldProblem, type PaymentProvider } from './card/paymentProvider.ts'

/** `stage`: entering the card, charging it, or charged and on its way; `held` once the database says so. */
export function usePaying(booking: PayableBooking, changeId: string | undefined) {
  const { t } = useTranslation()
  const [stage, setStage] = useState<'entering' | 'charging' | 'sent'>('entering')
  const [failure, setFailure] = useState<Error | null>(null)
  const [provider, setProvider] = useState<PaymentProvider | null>(null)
  const intent = useQuery({ ...paymentIntentQuery(booking, changeId), enabled: stage !== 'sent' })
  const payment = usePayment(booking.id, { awaited: stage === 'sent', changeId })
  const held = payment.data != null && payment.data.escrow_status !== 'pending'
  const clientSecret = intent.data?.clientSecret
  const running = useRef(false)

  const sentBefore = intent.error instanceof FunctionFailure && intent.error.status === 409
  useEffect(() => {
    if (sentBefore) setStage('sent')
  }, [sentBefore])
  useEffect(() => {
    if (!provider || !clientSecret || running.current) return
    provider.retrieve(clientSecret).then(
      (state) => state !== 'payable' && setStage('sent'),
      () => undefined, // paying will show it
    )
  }, [provider, clientSecret])

  const startFailure = sentBefore || held ? null : intent.error
  useStartFailureToast(startFailure, intent.refetch)
  // After a failure, too: the card was charged, and only the answer was lost.
  useSuccess(held, stage === 'sent' || failure !== null)

  const shownFailure = useRef<string | number>(undefined)
  /** The next try is with another card: nothing of the last one is shown with it. */
  const forgetFailure = () => {
    setFailure(null)
    // Not by one fixed id: a toast that is just leaving would swallow the next of its name.
    if (shownFailure.current) toast.dismiss(shownFailure.current)
  }
  /** Charges the saved card, or the one that was entered; a second call meanwhile does nothing. */
  const pay = async (savedCard?: string) => {
    if (running.current || !clientSecret) return
    running.current = true
    forgetFailure()
    setStage('charging')
    try {
      if (!provider) throw new Error(t('payments.cardElementMissing'))
      if ((await provider.pay(clientSecret, savedCard)) === 'payable')
        throw new Error(t('payments.failedBody'))
      setStage('sent')
    } catch (error) {
      // The answer may be all that was lost: the provider knows whether the card was charged.
      const refused = !provider || error instanceof CardFieldProblem
      const state = refused ? 'payable' : await provider.retrieve(clientSecret).catch(() => 'payable')
      if (state !== 'payable') return setStage('sent')
      setFailure(error as Error)
      setStage('entering')
      // The reason is shown above Pay and on the card.
      shownFailure.current = toast.error(t('payments.failedTitle'))
    } finally {
      running.current = false
    }
  }

  return {
    stage,
    held,
    failure,
    forgetFailure,
    startFailure,
    intent,
    payment: payment.data,
    ready: provider !== null && clientSecret !== undefined,
    provider,
    setProvider,
    pay,
  }
}

function useStartFailureToast(startFailure: Error | null, retry: () => void) {
  const { t } = useTranslation()
  useEffect(() => {
    if (!startFailure) return
    toast.error(t('payments.errorTitle'), {
      id: 'payment-error',
      description: t('payments.initiateFailed'),
      action: { label: t('payments.tryAgain'), onClick: () => retry() },
    })
  }, [startFailure, retry, t])
}

/** Refreshes everything that shows the payment, once the money is held. `announces`: this page has sent the payment. */
function useSuccess(held: boolean, announces: boolean) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const announced = useRef(false)
  useEffect(() => {
    if (!held || announced.current) return
    announced.current = true
    for (const queryKey of PAYMENT_KEYS) queryClient.invalidateQueries({ queryKey })
    if (announces) toast.success(t('payments.successful'), { description: t('payments.successfulBody') })
  }, [held, announces, queryClient, t])
}
