// The receipt that a charge's `receipt_url` leads to: https://docs.stripe.com/receipts. Its address holds a key, so that
// knowing a charge's id is not enough.

import type { RequestContext } from '@meadowlark/server/http/request-context.ts'
import type { Route } from '@meadowlark/server/http/route.ts'
import { page } from '@meadowlark/server/http/sandbox-page.ts'
import { html } from 'hono/html'
import type { StripeDeps } from './api.ts'
import { type Charge, dollars, newId } from './objects.ts'
import { lookUp, serverSession } from './store.ts'

export function receiptRoutes(deps: StripeDeps): Route[] {
  return [
    {
      method: 'GET',
      path: '/receipts/:id',
      access: 'public',
      handler: (request) => show(deps, request),
    },
  ]
}

async function show(deps: StripeDeps, { params, query }: RequestContext) {
  const id = /^ch_\w{1,100}$/.test(params.id ?? '') ? String(params.id) : ''
  const found = await deps.database.transaction((client) =>
    lookUp(serverSession(deps, client, newId('req', 14)), id),
  )
  const charge = found?.object === 'charge' ? (found as Charge) : undefined
  if (!charge?.receipt_url || charge._receipt_key !== query.get('key')) {
    return page({
      status: 404,
      title: 'No receipt',
      body: html`<main><h1>No receipt</h1><p>The link to it is not whole.</p></main>`,
    })
  }
  const card = (charge.payment_method_details as { card?: { brand?: string; last4?: string } }).card
  return page({
    title: 'Receipt',
    css: 'main{max-width:26rem;margin:0 auto;padding:2.5rem 1.25rem;display:grid;gap:.75rem}',
    body: html`<div class="bar">Test mode. No real card was charged.</div>
<main>
  <h1>Receipt</h1>
  <p>${dollars(charge.amount)} ${charge.currency.toUpperCase()} by ${card?.brand} ending in ${card?.last4}</p>
  ${charge.amount_refunded > 0 ? html`<p>${dollars(charge.amount_refunded)} refunded</p>` : ''}
</main>`,
  })
}
