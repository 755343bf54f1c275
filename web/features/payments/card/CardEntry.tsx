// Where a card is entered: Stripe's element with real credentials, ours with test payments.
import { lazy, type Ref, Suspense } from 'react'
import { config } from '../../../lib/config.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import type { PaymentProvider } from './paymentProvider.ts'

const SandboxCardEntry = lazy(async () => ({
  default: (await import('./SandboxCardEntry.tsx')).SandboxCardEntry,
}))
const StripeCardEntry = lazy(async () => ({
  default: (await import('./StripeCardEntry.tsx')).StripeCardEntry,
}))

/** Hands a PaymentProvider to `ref` once a card can be entered; `hidden` while a saved card is chosen instead. */
export function CardEntry(props: {
  publishableKey: string
  disabled: boolean
  hidden?: boolean
  /** Why the card that was entered was refused. */
  failure?: Error | null
  /** The id of the text that says so; the field at fault is described by it. */
  refusal?: string
  /** Another card is being entered than the refused one. */
  onEdit?: () => void
  ref: Ref<PaymentProvider>
}) {
  const Entry = config.sandbox ? SandboxCardEntry : StripeCardEntry
  return (
    <Suspense fallback={<Skeleton className="h-40" />}>
      <Entry {...props} />
    </Suspense>
  )
}
