// What an entry of the audit log says in words: its values before and after with their labels, amounts as money. The columns
// that only the books and the provider need stand apart, as they are.
import type { TFunction } from 'i18next'
import { fromDollars } from '../../../shared/money.ts'
import type { TextKey } from '../../i18n/index.ts'
import { formatMoney } from '../../lib/format.ts'

type Values = Record<string, unknown> | null
type Kind =
  | 'money'
  | 'transfer'
  | 'flag'
  | 'present'
  | 'passed'
  | 'words'
  | 'verification'
  | 'decision'
  | 'report'
  | 'role'

/** The columns that people read, in their order: label and what a value is. */
const COLUMNS: Record<string, [label: TextKey, kind: Kind]> = {
  role: ['backOffice.audit.table.user_roles', 'role'],
  verification_status: ['backOffice.people.fact.verification', 'verification'],
  verified_by_admin: ['admin.verified', 'flag'],
  id_verified: ['admin.idConfirmed', 'flag'],
  background_check_status: ['admin.backgroundPassed', 'passed'],
  hidden_for: ['backOffice.people.hidden', 'present'],
  lifted_at: ['backOffice.audit.lifted', 'present'],
  decision: ['admin.decision', 'decision'],
  status: ['backOffice.money.state', 'report'],
  escrow_status: ['backOffice.audit.table.payments', 'transfer'],
  payout_status: ['backOffice.effects.name.release-payout', 'transfer'],
  refund_status: ['backOffice.effects.name.refund-payment', 'transfer'],
  amount: ['backOffice.audit.amount', 'money'],
  total: ['backOffice.audit.total', 'money'],
  payout_amount: ['backOffice.effects.name.release-payout', 'money'],
  refund_amount: ['backOffice.effects.name.refund-payment', 'money'],
  refunded_amount: ['backOffice.money.states.refunded', 'money'],
  returned_amount: ['backOffice.audit.returned', 'money'],
  cancellation_fee: ['bookings.cancellationFee', 'money'],
  lost_amount: ['backOffice.money.account.disputes', 'money'],
  reason: ['backOffice.people.reason', 'words'],
  answer: ['bookings.answer', 'words'],
  decision_note: ['admin.decisionNote', 'words'],
  refusal_reason: ['admin.refusalReason', 'words'],
  verification_notes: ['admin.notes', 'words'],
}

/** Where a list of their own says what a value is called. */
const WORDS: Partial<Record<Kind, string>> = {
  transfer: 'backOffice.money.states',
  verification: 'backOffice.people.handedIn',
  decision: 'admin.decided',
  report: 'backOffice.reports.tab',
  role: 'backOffice.people.role',
}

export type Change = { column: string; label: string; before: string | null; after: string | null }

/** What has changed, in words: null where there was, or is, nothing. Of a new or removed row, what it holds. */
export function changesOf({ before, after }: { before: Values; after: Values }, t: TFunction): Change[] {
  return Object.entries(COLUMNS).flatMap(([column, [label, kind]]) => {
    const value = (values: Values) => (values && column in values ? inWords(values[column], kind, t) : null)
    const change = { column, label: t(label), before: value(before), after: value(after) }
    const isUpdate = before !== null && after !== null
    const held = after ?? before
    const isEmpty = isUpdate ? change.before === change.after : !held || isNothing(held[column], kind)
    return isEmpty ? [] : [change]
  })
}

type Named = { id: string; name: string | null }
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The other columns that changed, as they stand in the table: people by their names, and no bare ids of other rows. */
export function technicalValues({
  before,
  after,
  people = [],
}: {
  before: Values
  after: Values
  people?: Named[]
}) {
  const written = (value: unknown) =>
    people.find(({ id, name }) => id === value && name)?.name ?? asItIs(value)
  const isUpdate = before !== null && after !== null
  return Object.keys(after ?? before ?? {})
    .filter((column) => column !== 'id' && !(column in COLUMNS))
    .filter((column) => isUpdate || !isNothing((after ?? before)?.[column]))
    .map((column) => ({ column, before: written(before?.[column]), after: written(after?.[column]) }))
    .filter((values) => ![values.before, values.after].some((value) => UUID.test(value)))
}

/** What a row that is new holds until somebody decides otherwise. */
function isNothing(value: unknown, kind?: Kind): boolean {
  if (kind === 'passed') return value !== 'verified'
  if (Array.isArray(value)) return value.length === 0
  return value === null || value === undefined || value === false || value === 0 || value === 'none'
}

const asItIs = (value: unknown): string =>
  value === null || value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value)

function inWords(value: unknown, kind: Kind, t: TFunction): string | null {
  switch (kind) {
    case 'flag':
      return t(value ? 'verification.yes' : 'verification.no')
    case 'present':
      return t(value === null ? 'verification.no' : 'verification.yes')
    case 'passed':
      return t(value === 'verified' ? 'verification.yes' : 'verification.no')
    case 'money':
      return value === null ? null : formatMoney(fromDollars(Number(value)), { exact: true })
    case 'words':
      return value === null ? null : asItIs(value)
    default:
      return value === null || value === 'none'
        ? null
        : t(`${WORDS[kind]}.${value}` as TextKey, { defaultValue: String(value) })
  }
}
