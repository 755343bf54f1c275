// Card entry by Stripe.js: the card's digits stay in Stripe's own frame. https://docs.stripe.com/payments/card-element
import { CardElement, Elements, useElements, useStripe } from '@stripe/react-stripe-js'
import { loadStripe } from '@stripe/stripe-js/pure'
import { useQuery } from '@tanstack/react-query'
import { type Ref, useImperativeHandle, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { currentLanguage } from '../../../i18n/index.ts'
import { useTheme } from '../../../lib/theme.tsx'
import { CONTROL_CLASSES } from '../../../ui/Input.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { cardFailure } from './cardFailure.ts'
import { intentState, type PaymentProvider } from './paymentProvider.ts'

/** Stripe's element speaks all our languages but Hindi. */
function elementLanguage() {
  const language = currentLanguage()
  return language === 'hi' ? 'en' : language
}

type EntryProps = {
  publishableKey: string
  disabled: boolean
  hidden?: boolean
  onEdit?: () => void
  ref: Ref<PaymentProvider>
}

export function StripeCardEntry({ publishableKey, disabled, hidden = false, onEdit, ref }: EntryProps) {
  const { t } = useTranslation()
  const stripe = useQuery({
    queryKey: ['stripe', publishableKey],
    queryFn: () => loadStripe(publishableKey, { locale: elementLanguage() }),
    staleTime: Number.POSITIVE_INFINITY,
    // The object is Stripe's own and must not be compared or copied.
    structuralSharing: false,
  })
  if (stripe.isError) return <ErrorState body={t('payments.initializeFailed')} onRetry={stripe.refetch} />
  if (!stripe.data) return <Skeleton className="h-11" />
  return (
    <Elements stripe={stripe.data}>
      <CardField disabled={disabled} hidden={hidden} ref={ref} {...(onEdit && { onEdit })} />
    </Elements>
  )
}

function CardField({ disabled, hidden, onEdit, ref }: Omit<EntryProps, 'publishableKey'>) {
  const { t } = useTranslation()
  const { resolved } = useTheme()
  const stripe = useStripe()
  const elements = useElements()

  useImperativeHandle(
    ref,
    () => ({
      async retrieve(clientSecret) {
        const answer = await stripe?.retrievePaymentIntent(clientSecret)
        return intentState(answer?.paymentIntent?.status)
      },
      async pay(clientSecret, savedCard) {
        const card = elements?.getElement(CardElement)
        if (!stripe || !card) throw new Error(t('payments.cardElementMissing'))
        const { error, paymentIntent } = await stripe.confirmCardPayment(clientSecret, {
          payment_method: savedCard ?? { card },
        })
        const state = intentState((paymentIntent ?? error?.payment_intent)?.status)
        // Paid in another tab meanwhile: that is not a failure.
        if (error && state === 'payable') throw cardFailure(error, 'payments.failedBody')
        return state
      },
      async save(clientSecret) {
        const card = elements?.getElement(CardElement)
        if (!stripe || !card) throw new Error(t('payments.cardElementMissing'))
        const { error, setupIntent } = await stripe.confirmCardSetup(clientSecret, {
          payment_method: { card },
        })
        if (setupIntent?.status !== 'succeeded') throw cardFailure(error, 'payments.cardNotSaved')
        return setupIntent.id
      },
      focus: () => elements?.getElement(CardElement)?.focus(),
    }),
    [stripe, elements, t],
  )

  // The element's frame knows none of our variables; it is handed their values, again in the other theme.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `resolved` is why the values change
  const style = useMemo(() => {
    const tokens = getComputedStyle(document.documentElement)
    const token = (name: string) => tokens.getPropertyValue(name).trim()
    return {
      base: { color: token('--ink'), fontSize: '16px', '::placeholder': { color: token('--ink-faint') } },
      invalid: { color: token('--danger') },
    }
  }, [resolved])
  return (
    <div hidden={hidden ?? false} className={`${CONTROL_CLASSES} px-3 py-3`}>
      <CardElement
        options={{ style, disabled }}
        onReady={(card) => !hidden && card.focus()}
        {...(onEdit && { onChange: onEdit })}
      />
    </div>
  )
}
