// Which request does what: the part of https://docs.stripe.com/api that the sandbox knows.
import { z } from 'zod'
import { accountLinkParams, createAccountLink } from './account-links.ts'
import * as accounts from './accounts.ts'
import * as charges from './charges.ts'
import * as customers from './customers.ts'
import * as disputes from './disputes.ts'
import { invalidRequest } from './errors.ts'
import * as banks from './external-accounts.ts'
import type { PaymentIntent, SetupIntent, Transfer } from './objects.ts'
import { browserExpandable, expandable, listParams, text } from './params.ts'
import * as intents from './payment-intents.ts'
import * as methods from './payment-methods.ts'
import * as payouts from './payouts.ts'
import * as refunds from './refunds.ts'
import * as setups from './setup-intents.ts'
import { find, list, type Session } from './store.ts'
import * as tokens from './tokens.ts'
import * as transfers from './transfers.ts'

export type Ids = { id: string; sub: string }

export type ApiRoute = {
  method: 'get' | 'post' | 'delete'
  /** Below /v1, with `:id` and `:sub`. */
  path: string
  params: z.ZodType
  /** A publishable key may call this; for intents, with the client secret. */
  publishable: boolean
  /** The parameters allowed with a publishable key, if fewer. */
  browserParams?: z.ZodType
  run: (session: Session, params: never, ids: Ids) => Promise<object>
}

const nothing = z.strictObject({ ...expandable })
const withSecret = z.strictObject({ client_secret: text.optional(), ...expandable })
const browserRead = z.strictObject({ client_secret: text.optional(), ...browserExpandable })
const eventList = listParams({ type: text.optional() })

export const routes: ApiRoute[] = []

function on<Schema extends z.ZodType>(
  method: ApiRoute['method'],
  path: string,
  params: Schema,
  run: (session: Session, params: z.output<Schema>, ids: Ids) => Promise<object>,
  publishable = false,
  browserParams?: z.ZodType,
): void {
  routes.push({ method, path, params, publishable, run, ...(browserParams ? { browserParams } : {}) })
}

on('post', '/payment_intents', intents.intentCreateParams, intents.createIntent)
on('get', '/payment_intents', intents.intentListParams, intents.listIntents)
on(
  'get',
  '/payment_intents/:id',
  withSecret,
  (s, p, { id }) => readIntent(s, 'payment_intent', id, p.client_secret),
  true,
  browserRead,
)
on('post', '/payment_intents/:id', intents.intentUpdateParams, (s, p, { id }) =>
  intents.updateIntent(s, id, p),
)
on(
  'post',
  '/payment_intents/:id/confirm',
  intents.intentConfirmParams,
  async (s, p, { id }) => {
    await readIntent(s, 'payment_intent', id, p.client_secret)
    return intents.confirmIntent(s, id, p)
  },
  true,
  intents.browserConfirmParams,
)
on('post', '/payment_intents/:id/cancel', intents.intentCancelParams, (s, p, { id }) =>
  intents.cancelIntent(s, id, p),
)

on('post', '/setup_intents', setups.setupCreateParams, setups.createSetup)
on('get', '/setup_intents', setups.setupListParams, setups.listSetups)
on(
  'get',
  '/setup_intents/:id',
  withSecret,
  (s, p, { id }) => readIntent(s, 'setup_intent', id, p.client_secret),
  true,
  browserRead,
)
on('post', '/setup_intents/:id', setups.setupUpdateParams, (s, p, { id }) => setups.updateSetup(s, id, p))
on(
  'post',
  '/setup_intents/:id/confirm',
  setups.setupConfirmParams,
  async (s, p, { id }) => {
    await readIntent(s, 'setup_intent', id, p.client_secret)
    return setups.confirmSetup(s, id, p)
  },
  true,
  setups.browserConfirmParams,
)
on('post', '/setup_intents/:id/cancel', setups.setupCancelParams, (s, p, { id }) =>
  setups.cancelSetup(s, id, p),
)

on(
  'post',
  '/payment_methods',
  methods.createParams,
  methods.createPaymentMethod,
  true,
  methods.browserCreateParams,
)
on('get', '/payment_methods', methods.paymentMethodListParams, (s, p) => methods.listPaymentMethods(s, p))
on('get', '/payment_methods/:id', nothing, (s, _, { id }) => methods.resolvePaymentMethod(s, id))
on('post', '/payment_methods/:id', methods.updateParams, (s, p, { id }) =>
  methods.updatePaymentMethod(s, id, p),
)
on('post', '/payment_methods/:id/attach', methods.attachParams, (s, p, { id }) =>
  methods.attachPaymentMethod(s, id, p.customer),
)
on('post', '/payment_methods/:id/detach', nothing, (s, _, { id }) => methods.detachPaymentMethod(s, id))

on('post', '/customers', customers.customerParams, customers.createCustomer)
on('get', '/customers', customers.customerListParams, customers.listCustomers)
on('get', '/customers/:id', nothing, (s, _, { id }) => customers.retrieveCustomer(s, id))
on('post', '/customers/:id', customers.customerParams, (s, p, { id }) => customers.updateCustomer(s, id, p))
on('delete', '/customers/:id', nothing, (s, _, { id }) => customers.deleteCustomer(s, id))
on('get', '/customers/:id/payment_methods', methods.paymentMethodListParams, (s, p, { id }) =>
  methods.listPaymentMethods(s, { ...p, customer: id }, `/v1/customers/${id}/payment_methods`),
)
on('get', '/customers/:id/payment_methods/:sub', nothing, (s, _, { sub }) => find(s, 'payment_method', sub))

on('get', '/charges', charges.chargeListParams, charges.listCharges)
on('get', '/charges/:id', nothing, (s, _, { id }) => find(s, 'charge', id, 'charge'))
on('post', '/charges/:id', charges.chargeUpdateParams, (s, p, { id }) => charges.updateCharge(s, id, p))

/** The sandbox's own POST /disputes, for what no test card does. */
export const disputeOnDemand: ApiRoute = {
  method: 'post',
  path: '/disputes',
  params: disputes.disputeOpenParams,
  publishable: false,
  run: disputes.openDisputeOnDemand,
}
on('get', '/disputes', disputes.disputeListParams, disputes.listDisputes)
on('get', '/disputes/:id', nothing, (s, _, { id }) => disputes.readDispute(s, id))
on('post', '/disputes/:id', disputes.disputeUpdateParams, (s, p, { id }) => disputes.updateDispute(s, id, p))
on('post', '/disputes/:id/close', nothing, (s, _, { id }) => disputes.closeDispute(s, id))

on('post', '/refunds', refunds.refundCreateParams, refunds.createRefund)
on('get', '/refunds', refunds.refundListParams, refunds.listRefunds)
on('get', '/refunds/:id', nothing, (s, _, { id }) => find(s, 'refund', id, 'refund'))
on('post', '/refunds/:id', refunds.refundUpdateParams, (s, p, { id }) => refunds.updateRefund(s, id, p))

on('post', '/transfers', transfers.transferCreateParams, transfers.createTransfer)
on('get', '/transfers', transfers.transferListParams, transfers.listTransfers)
on('get', '/transfers/:id', nothing, (s, _, { id }) => find<Transfer>(s, 'transfer', id, 'transfer'))
on('post', '/transfers/:id', transfers.transferUpdateParams, (s, p, { id }) =>
  transfers.updateTransfer(s, id, p),
)
on('post', '/transfers/:id/reversals', transfers.reversalCreateParams, (s, p, { id }) =>
  transfers.createReversal(s, id, p),
)
on('get', '/transfers/:id/reversals', transfers.reversalListParams, (s, p, { id }) =>
  transfers.listReversals(s, id, p),
)
on('get', '/transfers/:id/reversals/:sub', nothing, (s, _, { sub }) => find(s, 'transfer_reversal', sub))

on('post', '/accounts', accounts.accountCreateParams, accounts.createAccount)
on('get', '/accounts', accounts.accountListParams, accounts.listAccounts)
on('get', '/accounts/:id', nothing, (s, _, { id }) => accounts.retrieveAccount(s, id))
on('post', '/accounts/:id', accounts.accountUpdateParams, (s, p, { id }) => accounts.updateAccount(s, id, p))
on('delete', '/accounts/:id', nothing, (s, _, { id }) => accounts.deleteAccount(s, id))
on('post', '/accounts/:id/external_accounts', banks.bankCreateParams, (s, p, { id }) =>
  banks.createBankAccount(s, id, p),
)
on('get', '/accounts/:id/external_accounts', banks.bankListParams, (s, _, { id }) =>
  banks.listBankAccounts(s, id),
)
on('get', '/accounts/:id/external_accounts/:sub', nothing, (s, _, { id, sub }) =>
  banks.retrieveBankAccount(s, id, sub),
)
on('post', '/accounts/:id/external_accounts/:sub', banks.bankUpdateParams, (s, p, { id, sub }) =>
  banks.updateBankAccount(s, id, sub, p),
)
on('delete', '/accounts/:id/external_accounts/:sub', nothing, (s, _, { id, sub }) =>
  banks.deleteBankAccount(s, id, sub),
)

on('post', '/tokens', tokens.tokenCreateParams, tokens.createToken, true, tokens.browserTokenParams)
on('get', '/tokens/:id', nothing, (s, _, { id }) => find(s, 'token', id, 'token'))
on('post', '/account_links', accountLinkParams, createAccountLink)

on('post', '/payouts', payouts.payoutCreateParams, payouts.createPayout)
on('get', '/payouts', payouts.payoutListParams, payouts.listPayouts)
on('get', '/payouts/:id', nothing, (s, _, { id }) => payouts.retrievePayout(s, id))
on('post', '/payouts/:id', payouts.payoutUpdateParams, (s, p, { id }) => payouts.updatePayout(s, id, p))
on('post', '/payouts/:id/cancel', nothing, (s, _, { id }) => payouts.cancelPayout(s, id))

on('get', '/balance', nothing, (s) => charges.readBalance(s, s.account))
on('get', '/balance_transactions/:id', nothing, (s, _, { id }) => find(s, 'balance_transaction', id))
on('get', '/events', eventList, (s, { type, ...paging }) => list(s, 'event', '/v1/events', paging, { type }))
on('get', '/events/:id', nothing, (s, _, { id }) => find(s, 'event', id, 'event'))

/** The intent, for whoever holds the secret key or knows the intent's own client secret. */
async function readIntent<T extends PaymentIntent | SetupIntent>(
  session: Session,
  object: T['object'],
  id: string,
  clientSecret: string | undefined,
): Promise<T> {
  if (session.key === 'publishable' && clientSecret === undefined) {
    throw invalidRequest('Missing required param: client_secret.', {
      code: 'parameter_missing',
      param: 'client_secret',
    })
  }
  const intent = await find<T>(session, object, id, 'intent')
  if (clientSecret !== undefined && intent.client_secret !== clientSecret) {
    throw invalidRequest(
      `The client_secret provided does not match the client_secret associated with this ${object}.`,
      { code: `${object}_invalid_parameter`, param: 'client_secret' },
    )
  }
  return intent
}
