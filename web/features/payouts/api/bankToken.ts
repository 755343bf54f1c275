// Bank details become a token at the payment provider; they go nowhere else. https://docs.stripe.com/js/tokens/create_token
import { loadStripe } from '@stripe/stripe-js/pure'
import i18next from 'i18next'
import { currency, province } from '../../../../marketplace.config.ts'
import { config } from '../../../lib/config.ts'
import { callSandboxStripe, readPublishableKey } from '../../../lib/stripe.ts'

export type BankDetails = { institution: string; transit: string; account: string; holder: string }

/** A refusal that is about one of the numbers; `param` is the provider's name of it. */
export class BankRefused extends Error {
  readonly param: string | undefined

  constructor(message: string, param?: string) {
    super(message)
    this.param = param
  }
}

/** The token's id (`btok_…`). Throws BankRefused with the provider's words. */
export async function createBankToken(bank: BankDetails): Promise<string> {
  const publishableKey = await readPublishableKey()
  const details = {
    country: province.country,
    currency: currency.code.toLowerCase(),
    // Canada's form: transit, then institution.
    routing_number: `${bank.transit}-${bank.institution}`,
    account_number: bank.account,
    account_holder_type: 'individual',
    ...(bank.holder ? { account_holder_name: bank.holder } : {}),
  }
  if (config.sandbox) {
    const params = Object.entries(details).map(([name, value]) => [`bank_account[${name}]`, value])
    const token = await callSandboxStripe<{ id: string }>(
      publishableKey,
      'POST',
      'tokens',
      Object.fromEntries(params),
    )
    if (token.error) throw new BankRefused(token.error.message ?? '', token.error.param)
    return token.id
  }
  const stripe = await loadStripe(publishableKey)
  if (!stripe) throw new Error(i18next.t('payments.initializeFailed'))
  const { token, error } = await stripe.createToken('bank_account', details)
  if (!token) throw new BankRefused(error?.message ?? '', error?.param)
  return token.id
}
