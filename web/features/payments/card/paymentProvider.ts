// The one interface to a card entry, whether Stripe's own element or the sandbox's is behind it.

export type IntentState = 'payable' | 'processing' | 'paid'

export type PaymentProvider = {
  /** The state of the payment at the provider; a payment that was sent before is not payable again. */
  retrieve(clientSecret: string): Promise<IntentState>
  /**
   * Pays with a saved card (its id at the provider) or the one that was entered, asking for authentication where the bank
   * wants it. Throws an Error whose message is for the payer.
   */
  pay(clientSecret: string, savedCard?: string): Promise<IntentState>
  /** Gives the card that was entered to the provider to keep. Resolves to the SetupIntent's id; throws like `pay`. */
  save(clientSecret: string): Promise<string>
  /** Puts the focus on the field that a failure is about, or on the first one. */
  focus(failure?: unknown): void
}

/** A field of the card is not whole, or is why the card was refused. */
export class CardFieldProblem extends Error {
  readonly field: 'number' | 'expiry' | 'code'
  constructor(field: CardFieldProblem['field'], message: string) {
    super(message)
    this.field = field
  }
}

/** A PaymentIntent's status at the provider → what it means here. */
export function intentState(status: string | undefined): IntentState {
  if (status === 'succeeded') return 'paid'
  return status === 'processing' ? 'processing' : 'payable'
}

/** The intent's id is the first part of its client secret. */
export function intentOf(clientSecret: string): string {
  return clientSecret.split('_secret_')[0] ?? ''
}
