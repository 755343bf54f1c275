// Stripe's error shapes: https://docs.stripe.com/api/errors and https://docs.stripe.com/error-codes.

export type ErrorBody = {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error'
  message: string
  code?: string
  decline_code?: string
  param?: string
  charge?: string
  doc_url?: string
  payment_intent?: unknown
  payment_method?: unknown
  setup_intent?: unknown
}

/** An answer other than 2xx. `keepsChanges` commits what the request did before it failed (a declined charge). */
export class StripeFailure extends Error {
  readonly status: number
  readonly body: ErrorBody
  readonly keepsChanges: boolean

  constructor(status: number, body: ErrorBody, keepsChanges = false) {
    super(body.message)
    this.status = status
    this.body = body.code
      ? { ...body, doc_url: `https://stripe.com/docs/error-codes/${body.code.replaceAll('_', '-')}` }
      : body
    this.keepsChanges = keepsChanges
  }
}

/** 400 with type invalid_request_error. */
export function invalidRequest(
  message: string,
  details: Partial<ErrorBody> = {},
  status = 400,
): StripeFailure {
  return new StripeFailure(status, { type: 'invalid_request_error', message, ...details })
}

/** 404: No such customer: 'cus_…'. */
export function noSuch(object: string, id: string, param = 'id'): StripeFailure {
  return invalidRequest(`No such ${object}: '${id}'`, { code: 'resource_missing', param }, 404)
}

/** 402 with type card_error; nothing the request did is kept unless `keepsChanges`. */
export function cardFailure(details: Omit<ErrorBody, 'type'>, keepsChanges = false): StripeFailure {
  return new StripeFailure(402, { type: 'card_error', ...details }, keepsChanges)
}
