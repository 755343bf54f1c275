// The Stripe objects the sandbox keeps, with the fields its own code reads. They are stored and answered whole, in
// the shapes of https://docs.stripe.com/api; amounts are whole cents, times are seconds since 1970.
import { randomBytes } from 'node:crypto'

/** Any stored object. Keys that begin with `_` are the sandbox's own and never answered. */
export type StripeObject = { id: string; object: string; created?: number; [key: string]: unknown }

export type Metadata = Record<string, string>

type Card = {
  brand: string
  last4: string
  exp_month: number
  exp_year: number
  country: string
  funding: string
  /** Stands for the card number, which is never stored: tells which test card this is. */
  fingerprint: string
  [key: string]: unknown
}

export type PaymentMethod = StripeObject & {
  type: string
  card?: Card
  customer: string | null
  metadata: Metadata
}

export type IntentError = {
  type: string
  code: string
  message: string
  decline_code?: string
  charge?: string
  payment_method?: StripeObject
}

export type PaymentIntent = StripeObject & {
  amount: number
  amount_received: number
  currency: string
  client_secret: string
  status: string
  customer: string | null
  payment_method: string | null
  latest_charge: string | null
  next_action: Record<string, unknown> | null
  last_payment_error: IntentError | null
  metadata: Metadata
  setup_future_usage: string | null
  transfer_group: string | null
  canceled_at: number | null
  cancellation_reason: string | null
}

export type SetupIntent = StripeObject & {
  client_secret: string
  status: string
  customer: string | null
  payment_method: string | null
  next_action: Record<string, unknown> | null
  last_setup_error: IntentError | null
  metadata: Metadata
  usage: string
  cancellation_reason: string | null
}

export type Charge = StripeObject & {
  amount: number
  amount_captured: number
  amount_refunded: number
  currency: string
  customer: string | null
  payment_intent: string | null
  payment_method: string | null
  payment_method_details: { card?: { fingerprint?: string; [field: string]: unknown }; type: string }
  refunded: boolean
  status: string
  transfer_group: string | null
  balance_transaction: string | null
}

export type Transfer = StripeObject & {
  amount: number
  amount_reversed: number
  reversed: boolean
  currency: string
  destination: string
  source_transaction: string | null
  transfer_group: string | null
  metadata: Metadata
  reversals: { object: 'list'; data: StripeObject[]; has_more: boolean; total_count: number; url: string }
}

type Capability = 'active' | 'inactive' | 'pending'

export type BankAccount = StripeObject & {
  account: string
  country: string
  currency: string
  default_for_currency: boolean
  fingerprint: string
  last4: string
  metadata: Metadata
  /** 'errored' once a payout to it has failed: nothing more is sent there. */
  status: string
}

export type Account = StripeObject & {
  type: string
  capabilities: { transfers?: Capability; card_payments?: Capability }
  external_accounts: {
    object: 'list'
    data: BankAccount[]
    has_more: boolean
    total_count: number
    url: string
  }
  individual?: Record<string, unknown>
  payouts_enabled: boolean
  tos_acceptance: { date?: number | null; ip?: string | null; user_agent?: string | null }
  business_profile: Record<string, unknown>
  business_type: string | null
  metadata: Metadata
}

export type Payout = StripeObject & {
  amount: number
  currency: string
  destination: string | null
  failure_balance_transaction: string | null
  failure_code: string | null
  failure_message: string | null
  metadata: Metadata
  status: 'pending' | 'in_transit' | 'paid' | 'failed' | 'canceled'
  /** The account whose balance it was taken from. */
  _account: string
}

export type BalanceTransaction = StripeObject & {
  amount: number
  fee: number
  net: number
  currency: string
  available_on: number
  source: string
  type: string
  /** The connected account whose balance this is; the platform's when absent. */
  _account?: string
}

/** A new id as Stripe makes them: `prefix` and 24 letters and digits. */
export function newId(prefix: string, length = 24): string {
  return `${prefix}_${randomText(length)}`
}

/** `length` random letters and digits. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) text += randomBytes(48).toString('base64').replace(/[+/=]/g, '')
  return text.slice(0, length)
}

/** Now, in the whole seconds Stripe counts. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

/** Cents as Stripe writes them in messages: $12.50. */
export function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`
}
