// How objects are answered: expanded where asked (https://docs.stripe.com/expand), without the sandbox's own keys,
// and with less to a publishable key.
import { invalidRequest } from './errors.ts'
import type { StripeObject } from './objects.ts'
import { lookUp, present, type Session } from './store.ts'

const MAX_DEPTH = 4

/** Fields of an intent that a browser may see, as with Stripe's publishable keys. */
const publicFields: Record<string, string[]> = {
  payment_intent: [
    'id',
    'object',
    'amount',
    'amount_details',
    'automatic_payment_methods',
    'canceled_at',
    'cancellation_reason',
    'capture_method',
    'client_secret',
    'confirmation_method',
    'created',
    'currency',
    'description',
    'last_payment_error',
    'livemode',
    'next_action',
    'payment_method',
    'payment_method_types',
    'processing',
    'receipt_email',
    'setup_future_usage',
    'shipping',
    'source',
    'status',
  ],
  setup_intent: [
    'id',
    'object',
    'automatic_payment_methods',
    'cancellation_reason',
    'client_secret',
    'created',
    'description',
    'last_setup_error',
    'livemode',
    'next_action',
    'payment_method',
    'payment_method_types',
    'status',
    'usage',
  ],
}

/** The answer's body for what a route returned. Throws StripeFailure for a path that cannot be expanded. */
export async function answerBody(session: Session, result: object, expand: string[] = []): Promise<object> {
  let body = shown(session, result)
  for (const path of expand) {
    const steps = path.split('.')
    if (steps.length > MAX_DEPTH) {
      throw invalidRequest(
        `You cannot expand more than ${MAX_DEPTH} levels of a property. Property: ${path}`,
        {
          param: 'expand',
        },
      )
    }
    await expandPath(session, body, steps, path)
  }
  const fields = session.key === 'publishable' ? publicFields[(body as StripeObject).object] : undefined
  if (fields) body = Object.fromEntries(Object.entries(body).filter(([name]) => fields.includes(name)))
  return body
}

function shown(session: Session, result: object): object {
  const copy = structuredClone(result) as StripeObject & { data?: StripeObject[] }
  if (copy.object === 'list' && Array.isArray(copy.data)) {
    return { ...copy, data: copy.data.map((one) => present(one, session.now)) }
  }
  return present(copy, session.now)
}

async function expandPath(
  session: Session,
  holder: object,
  [step, ...rest]: string[],
  path: string,
): Promise<void> {
  if (step === undefined) return
  if (Array.isArray(holder)) {
    for (const one of holder) await expandPath(session, one, [step, ...rest], path)
    return
  }
  const fields = holder as Record<string, unknown>
  if (typeof fields[step] === 'string') {
    const found = await lookUp(session, fields[step])
    if (!found) throw notExpandable(path)
    fields[step] = present(found, session.now)
  } else if (typeof fields[step] !== 'object') {
    throw notExpandable(path)
  }
  const next = fields[step]
  if (typeof next === 'object' && next !== null) await expandPath(session, next, rest, path)
}

function notExpandable(path: string) {
  return invalidRequest(
    `This property cannot be expanded (${path}). You may want to try expanding another property.`,
    { param: 'expand' },
  )
}
