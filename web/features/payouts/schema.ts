// The rules of the bank form (specification 001 §5); messages are text keys. Parts that are not asked are not checked.

import { limits } from '../../../shared/limits.ts'
import { trimmed } from '../../../shared/text.ts'
import type { TextKey } from '../../i18n/index.ts'
import { latinDigits } from '../../lib/digits.ts'
import { z } from '../../lib/zod.ts'

const key = (text: TextKey) => text

const { institution, transit, account } = limits.bankAccount
/** The fewest digits that a Canadian account number has. */
const ACCOUNT_MIN = 5

export const digitsOnly = (text: string, max: number) => latinDigits(text).replace(/\D/g, '').slice(0, max)

const bankFields = z
  .object({ institution: z.string(), transit: z.string(), account: z.string() })
  .superRefine((bank, context) => {
    const fail = (field: keyof typeof bank, message: TextKey) =>
      context.addIssue({ code: 'custom', path: [field], message })
    const empty = (['institution', 'transit', 'account'] as const).find((field) => bank[field] === '')
    if (empty) return fail(empty, 'payouts.fillIn')
    if (bank.institution.length !== institution) return fail('institution', 'payouts.institutionWrong')
    if (bank.transit.length !== transit) return fail('transit', 'payouts.transitWrong')
    if (bank.account.length < ACCOUNT_MIN || bank.account.length > account.max)
      fail('account', 'payouts.accountWrong')
  })

const filled = (max: number) =>
  z
    .string()
    .overwrite(trimmed)
    .min(1, key('payouts.personIncomplete'))
    .max(max, key('payouts.personIncomplete'))

const personFields = z.object({
  firstName: filled(100),
  lastName: filled(100),
  dateOfBirth: z.string(),
  address: filled(200),
  city: filled(100),
  postalCode: z
    .string()
    .trim()
    .regex(/^[A-Za-z]\d[A-Za-z][ -]?\d[A-Za-z]\d$/, key('payouts.postalCodeWrong')),
})

/** The oldest birth date that counts as of age, as an input of type date has it. */
function latestBirthDate(today: Date): string {
  const date = new Date(Date.UTC(today.getFullYear() - limits.minimumAge, today.getMonth(), today.getDate()))
  return date.toISOString().slice(0, 10)
}

export type Asked = { bank: boolean; person: boolean; dateOfBirth: boolean; terms: boolean }

export const emptyForm = {
  institution: '',
  transit: '',
  account: '',
  firstName: '',
  lastName: '',
  dateOfBirth: '',
  address: '',
  city: '',
  postalCode: '',
  terms: false,
}
export type BankForm = typeof emptyForm

/** The form's schema: the parts that are asked, the rest as it is. */
export function bankFormSchema(asked: Asked): z.ZodType<BankForm, BankForm> {
  const all = z.object({
    institution: z.string(),
    transit: z.string(),
    account: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    dateOfBirth: z.string(),
    address: z.string(),
    city: z.string(),
    postalCode: z.string(),
    terms: z.boolean(),
  })
  return all.superRefine((values, context) => {
    const issues = [
      ...(asked.bank ? (bankFields.safeParse(values).error?.issues ?? []) : []),
      ...(asked.person ? (personFields.safeParse(values).error?.issues ?? []) : []),
    ].map(({ path, message }) => ({ field: String(path[0]), message }))
    const born = values.dateOfBirth
    if (asked.dateOfBirth && !(born >= '1900-01-01' && born <= latestBirthDate(new Date())))
      issues.push({ field: 'dateOfBirth', message: key('payouts.dateOfBirthWrong') })
    if (asked.terms && !values.terms) issues.push({ field: 'terms', message: key('payouts.termsRequired') })
    // In the order of the form: only the first is shown, and has the focus.
    const order = Object.keys(emptyForm)
    for (const { field, message } of issues.sort((a, b) => order.indexOf(a.field) - order.indexOf(b.field)))
      context.addIssue({ code: 'custom', path: [field], message })
  })
}
