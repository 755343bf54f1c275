// Account links, which lead a person to what the provider still wants to know of them:
// https://docs.stripe.com/api/account_links. A link is opened within five minutes.
import { z } from 'zod'
import { livingAccount } from './accounts.ts'
import { checkReturnUrl } from './confirmation.ts'
import { randomText, type StripeObject } from './objects.ts'
import { expandable, text } from './params.ts'
import { insert, type Session } from './store.ts'

export const LINK_SECONDS = 300

export type AccountLink = StripeObject & {
  account: string
  return_url: string
  refresh_url: string
  used: boolean
}

export const accountLinkParams = z.strictObject({
  account: text,
  collection_options: z
    .strictObject({
      fields: z.enum(['currently_due', 'eventually_due']).optional(),
      future_requirements: text.optional(),
    })
    .optional(),
  refresh_url: text,
  return_url: text,
  type: z.enum(['account_onboarding', 'account_update']),
  ...expandable,
})

export async function createAccountLink(session: Session, params: z.output<typeof accountLinkParams>) {
  checkReturnUrl(params.refresh_url)
  checkReturnUrl(params.return_url)
  const account = await livingAccount(session, params.account)
  const link = await insert<AccountLink>(session, {
    id: `acctlink_${randomText(40)}`,
    object: 'account_link',
    account: account.id,
    created: session.now,
    refresh_url: params.refresh_url,
    return_url: params.return_url,
    used: false,
  })
  return {
    object: 'account_link' as const,
    created: session.now,
    expires_at: session.now + LINK_SECONDS,
    url: `${session.origin}/sandbox/stripe/onboarding/${link.id}`,
  }
}
