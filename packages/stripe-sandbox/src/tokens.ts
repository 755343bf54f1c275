// Tokens: what a browser makes of bank details, so that they reach Stripe and nobody else. Used once.
// https://docs.stripe.com/api/tokens/create_bank_account
import { z } from 'zod'
import { bankDetails, readBank } from './bank-accounts.ts'
import { invalidRequest } from './errors.ts'
import { newId, type StripeObject } from './objects.ts'
import { expandable } from './params.ts'
import { insert, type Session, save, take } from './store.ts'

type Token = StripeObject & { bank_account: StripeObject; used: boolean; type: string }

export const tokenCreateParams = z.strictObject({ bank_account: bankDetails, ...expandable })
export const browserTokenParams = z.strictObject({ bank_account: bankDetails })

export function createToken(session: Session, params: z.output<typeof tokenCreateParams>): Promise<Token> {
  return insert<Token>(session, {
    id: newId('btok'),
    object: 'token',
    bank_account: readBank(params.bank_account, 'bank_account'),
    client_ip: null,
    created: session.now,
    livemode: false,
    type: 'bank_account',
    used: false,
  })
}

/** The bank account that a token stands for; from now on the token is used. */
export async function spendToken(session: Session, id: string): Promise<StripeObject> {
  const token = await take<Token>(session, 'token', id, 'external_account')
  if (token.used) {
    throw invalidRequest(`You cannot use a Stripe token more than once: ${id}.`, {
      code: 'token_already_used',
      param: 'external_account',
    })
  }
  await save(session, { ...token, used: true })
  return token.bank_account
}
