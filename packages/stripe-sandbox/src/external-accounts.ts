// The bank accounts of a connected account: https://docs.stripe.com/api/external_accounts.
import { z } from 'zod'
import { givenBank, livingAccount, retrieveAccount, saveAccount, withBanks } from './accounts.ts'
import { externalAccount, ofAccount } from './bank-accounts.ts'
import { invalidRequest, noSuch } from './errors.ts'
import type { Account, BankAccount, StripeObject } from './objects.ts'
import { expandable, flag, listParams, mergeMetadata, metadata, text } from './params.ts'
import type { Session } from './store.ts'

export const bankCreateParams = z.strictObject({
  external_account: externalAccount,
  default_for_currency: flag.optional(),
  metadata: metadata.optional(),
  ...expandable,
})
export const bankUpdateParams = z.strictObject({
  account_holder_name: text.optional(),
  default_for_currency: flag.optional(),
  metadata: metadata.optional(),
  ...expandable,
})
export const bankListParams = listParams({ object: text.optional() })

export async function createBankAccount(
  session: Session,
  accountId: string,
  params: z.output<typeof bankCreateParams>,
): Promise<BankAccount> {
  const account = await livingAccount(session, accountId)
  const first = account.external_accounts.data.length === 0
  const bank = ofAccount(
    await givenBank(session, params.external_account),
    account.id,
    first || params.default_for_currency === true,
    params.metadata,
  )
  await saveAccount(session, withBanks(account, addBank(account.external_accounts.data, bank)))
  return bank
}

export async function updateBankAccount(
  session: Session,
  accountId: string,
  bankId: string,
  params: z.output<typeof bankUpdateParams>,
): Promise<BankAccount> {
  const account = await livingAccount(session, accountId)
  const bank = bankOf(account, bankId)
  const changed: BankAccount = {
    ...bank,
    ...(params.account_holder_name === undefined ? {} : { account_holder_name: params.account_holder_name }),
    default_for_currency: params.default_for_currency ?? bank.default_for_currency,
    metadata: mergeMetadata(bank.metadata, params.metadata),
  }
  const others = account.external_accounts.data.filter((other) => other.id !== bankId)
  await saveAccount(session, withBanks(account, addBank(others, changed)))
  return changed
}

export async function deleteBankAccount(
  session: Session,
  accountId: string,
  bankId: string,
): Promise<StripeObject> {
  const account = await livingAccount(session, accountId)
  const bank = bankOf(account, bankId)
  if (bank.default_for_currency && account.external_accounts.data.length > 1) {
    throw invalidRequest(
      'You cannot delete the default external account for your default currency. Please make another external account the default using the `default_for_currency` param, and then delete this one.',
    )
  }
  await saveAccount(
    session,
    withBanks(
      account,
      account.external_accounts.data.filter((other) => other.id !== bankId),
    ),
  )
  return { id: bankId, object: 'bank_account', currency: bank.currency, deleted: true }
}

export async function retrieveBankAccount(
  session: Session,
  accountId: string,
  bankId: string,
): Promise<BankAccount> {
  return bankOf(await retrieveAccount(session, accountId), bankId)
}

export async function listBankAccounts(session: Session, accountId: string) {
  return (await retrieveAccount(session, accountId)).external_accounts
}

/** The bank account of this account; 404 when it has no such one. */
function bankOf(account: Account, bankId: string): BankAccount {
  const bank = account.external_accounts.data.find((one) => one.id === bankId)
  if (!bank) throw noSuch('external account', bankId, 'id')
  return bank
}

function addBank(banks: BankAccount[], bank: BankAccount): BankAccount[] {
  const others = bank.default_for_currency
    ? banks.map((other) => ({ ...other, default_for_currency: false }))
    : banks
  return [...others, bank]
}
