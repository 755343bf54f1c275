// Customers: https://docs.stripe.com/api/customers.
import { z } from 'zod'
import { noSuch } from './errors.ts'
import { type Metadata, newId, type StripeObject } from './objects.ts'
import { expandable, listParams, mergeMetadata, metadata, text } from './params.ts'
import { emit, insert, list, type Session, save, take } from './store.ts'

type Customer = StripeObject & { metadata: Metadata; deleted?: boolean }

export const customerParams = z.strictObject({
  address: z.union([z.literal(''), z.record(z.string(), text)]).optional(),
  description: text.optional(),
  email: text.optional(),
  invoice_settings: z.strictObject({ default_payment_method: text.optional() }).optional(),
  metadata: metadata.optional(),
  name: text.optional(),
  phone: text.optional(),
  preferred_locales: z.array(text).optional(),
  ...expandable,
})
export const customerListParams = listParams({ email: text.optional() })

export async function createCustomer(
  session: Session,
  params: z.output<typeof customerParams>,
): Promise<Customer> {
  const customer = await insert<Customer>(session, {
    id: newId('cus', 14),
    object: 'customer',
    address: params.address || null,
    balance: 0,
    created: session.now,
    currency: null,
    default_source: null,
    delinquent: false,
    description: params.description || null,
    email: params.email || null,
    invoice_settings: {
      custom_fields: null,
      default_payment_method: params.invoice_settings?.default_payment_method || null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: mergeMetadata({}, params.metadata),
    name: params.name || null,
    phone: params.phone || null,
    preferred_locales: params.preferred_locales ?? [],
    shipping: null,
    tax_exempt: 'none',
  })
  await emit(session, 'customer.created', customer)
  return customer
}

/** A deleted customer is answered as {id, object, deleted: true}. */
export async function retrieveCustomer(session: Session, id: string): Promise<StripeObject> {
  const customer = await take<Customer>(session, 'customer', id, 'id')
  return customer.deleted ? { id, object: 'customer', deleted: true } : customer
}

export async function updateCustomer(
  session: Session,
  id: string,
  params: z.output<typeof customerParams>,
): Promise<Customer> {
  const customer = await livingCustomer(session, id)
  const changed: Customer = { ...customer, metadata: mergeMetadata(customer.metadata ?? {}, params.metadata) }
  for (const field of ['address', 'description', 'email', 'name', 'phone', 'preferred_locales'] as const) {
    if (params[field] !== undefined) changed[field] = params[field] === '' ? null : params[field]
  }
  if (params.invoice_settings) {
    changed.invoice_settings = { ...(customer.invoice_settings as object), ...params.invoice_settings }
  }
  await save(session, changed)
  await emit(session, 'customer.updated', changed)
  return changed
}

export async function deleteCustomer(session: Session, id: string): Promise<StripeObject> {
  const customer = await livingCustomer(session, id)
  await save(session, { ...customer, deleted: true })
  await emit(session, 'customer.deleted', customer)
  return { id, object: 'customer', deleted: true }
}

export function listCustomers(session: Session, { email, ...paging }: z.output<typeof customerListParams>) {
  return list(session, 'customer', '/v1/customers', paging, { email })
}

async function livingCustomer(session: Session, id: string): Promise<Customer> {
  const customer = await take<Customer>(session, 'customer', id, 'id')
  if (customer.deleted) throw noSuch('customer', id)
  return customer
}
