// Describes audit log entries: values before and after with their labels, amounts as money, times in the app's zone.
// Columns for the books and the provider are listed separately.
import type { TFunction } from 'i18next'
import { fromDollars } from '../../../shared/money.ts'
import type { TextKey } from '../../i18n/index.ts'
import type { Database } from '../../lib/database.types.ts'
import { formatDateTime, formatMoney, formatNumber } from '../../lib/format.ts'

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
  | 'idType'
  | 'time'
  | 'person'
  | 'number'
  | 'files'
  | 'code'
type Column = [label: TextKey, kind: Kind]

/** The columns that people read, in their order: label and what a value is. */
const COLUMNS = {
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
} satisfies Record<string, Column>

/** Ids of other rows, and what write_audit leaves out. */
const LEFT_OUT = [
  'id',
  'booking_id',
  'payment_id',
  'task_id',
  'part_of',
  'legal_name',
  'date_of_birth',
  'insurance_provider',
  'insurance_policy_number',
  'insurance_expiry_date',
  'skills',
  'certifications',
  'updated_at',
] as const

/** Tables of which the log has every column. */
type WholeTable = 'verifications' | 'complaints' | 'payments' | 'suspensions' | 'user_roles'
type ColumnOf<Table extends WholeTable> = keyof Database['public']['Tables'][Table]['Row']
type Logged = { [Table in WholeTable]: ColumnOf<Table> }[WholeTable]
type Detail = Exclude<Logged, keyof typeof COLUMNS | (typeof LEFT_OUT)[number]>

/** The other columns, in their order. The compiler asks for one that a table gets. */
const DETAILS: Record<Detail | 'verified_at' | 'verified_by' | 'suppressed', Column> = {
  user_id: ['backOffice.people.one', 'person'],
  giver_id: ['backOffice.people.role.task_giver', 'person'],
  payer_id: ['backOffice.people.role.task_giver', 'person'],
  tasker_id: ['backOffice.people.role.task_doer', 'person'],
  payee_id: ['backOffice.people.role.task_doer', 'person'],
  active: ['backOffice.audit.column.active', 'flag'],
  suppressed: ['backOffice.audit.column.suppressed', 'flag'],
  suspended_by: ['backOffice.audit.column.suspended_by', 'person'],
  lifted_by: ['backOffice.audit.column.lifted_by', 'person'],
  decided_by: ['backOffice.audit.column.decided_by', 'person'],
  verified_by: ['backOffice.audit.column.decided_by', 'person'],
  created_at: ['backOffice.audit.column.created_at', 'time'],
  answered_at: ['backOffice.audit.column.answered_at', 'time'],
  decided_at: ['backOffice.audit.column.decided_at', 'time'],
  verified_at: ['backOffice.audit.column.decided_at', 'time'],
  held_at: ['backOffice.money.states.held', 'time'],
  released_at: ['backOffice.money.states.released', 'time'],
  refunded_at: ['backOffice.money.states.refunded', 'time'],
  id_type: ['verification.idType', 'idType'],
  age_verified: ['verification.ageVerified', 'flag'],
  terms_accepted: ['backOffice.audit.column.terms_accepted', 'flag'],
  terms_accepted_at: ['backOffice.audit.column.terms_accepted', 'time'],
  privacy_accepted: ['backOffice.audit.column.privacy_accepted', 'flag'],
  privacy_accepted_at: ['backOffice.audit.column.privacy_accepted', 'time'],
  background_check_consent: ['verification.backgroundSummary', 'flag'],
  has_insurance: ['verification.insuranceSummary', 'flag'],
  sin_provided: ['backOffice.audit.column.sin_provided', 'flag'],
  photos: ['backOffice.audit.column.photos', 'files'],
  answer_photos: ['backOffice.audit.column.answer_photos', 'files'],
  platform_fee: ['ui.price.platformFee', 'money'],
  gst: ['ui.price.gst', 'money'],
  reduction: ['backOffice.audit.column.reduction', 'money'],
  purpose: ['backOffice.audit.column.purpose', 'code'],
  extras_returned: ['backOffice.audit.column.extras_returned', 'flag'],
  settled_loss: ['backOffice.audit.column.settled_loss', 'money'],
  unsettled_loss: ['backOffice.audit.column.unsettled_loss', 'money'],
  currency: ['backOffice.audit.column.currency', 'code'],
  reminders: ['backOffice.audit.column.reminders', 'number'],
  open_disputes: ['backOffice.audit.column.open_disputes', 'number'],
  payout_refusals: ['backOffice.audit.column.payout_refusals', 'number'],
  refund_refusals: ['backOffice.audit.column.refund_refusals', 'number'],
  stripe_payment_intent_id: ['backOffice.audit.column.stripe_payment_intent_id', 'words'],
  stripe_charge_id: ['backOffice.audit.column.stripe_charge_id', 'words'],
  stripe_transfer_id: ['backOffice.audit.column.stripe_transfer_id', 'words'],
  stripe_refund_id: ['backOffice.audit.column.stripe_refund_id', 'words'],
  closed_intents: ['backOffice.audit.column.closed_intents', 'words'],
  closed_refunds: ['backOffice.audit.column.closed_refunds', 'words'],
}

/** Columns with a separate list of names for their values. */
const WORDS: Partial<Record<Kind, string>> = {
  transfer: 'backOffice.money.states',
  verification: 'backOffice.people.handedIn',
  decision: 'admin.decided',
  report: 'backOffice.reports.tab',
  role: 'backOffice.people.role',
  idType: 'verification',
}

export type Change = { column: string; label: string; before: string | null; after: string | null }

/** The changed values in words; null for an absent value. For a new or removed row, its values. */
export function changesOf({ before, after }: { before: Values; after: Values }, t: TFunction): Change[] {
  return Object.entries<Column>(COLUMNS).flatMap(([column, [label, kind]]) => {
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
const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/

/** The other columns that changed, in words: people by their names, and no bare ids of other rows. */
export function detailsOf(
  { before, after, people = [] }: { before: Values; after: Values; people?: Named[] },
  t: TFunction,
) {
  const held = after ?? before ?? {}
  const isUpdate = before !== null && after !== null
  const isShown = (column: string) =>
    column in held &&
    !(column in COLUMNS) &&
    !LEFT_OUT.some((left) => left === column) &&
    (isUpdate || !isNothing(held[column]))
  return [...new Set([...Object.keys(DETAILS), ...Object.keys(held)])].filter(isShown).flatMap((column) => {
    const [label, kind] = (DETAILS as Record<string, Column>)[column] ?? [undefined, undefined]
    const value = (values: Values) => {
      const one = values?.[column]
      const name = people.find(({ id }) => id === one)?.name
      return name ?? inWords(one ?? null, kind ?? kindOf(one), t) ?? '–'
    }
    const detail = {
      column,
      label: label ? t(label) : ownWords(column),
      before: value(before),
      after: value(after),
    }
    return UUID.test(detail.before) || UUID.test(detail.after) ? [] : [detail]
  })
}

/** `parking_note` of a later version: "Parking note". */
function ownWords(column: string): string {
  const words = column.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function kindOf(value: unknown): Kind {
  if (typeof value === 'boolean') return 'flag'
  return typeof value === 'string' && INSTANT.test(value) ? 'time' : 'words'
}

/** Whether a value is the default of a new row. */
function isNothing(value: unknown, kind?: Kind): boolean {
  if (kind === 'passed') return value !== 'verified'
  if (Array.isArray(value)) return value.length === 0
  return value === null || value === undefined || value === false || value === 0 || value === 'none'
}

const asItIs = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Array.isArray(value)
      ? value.map(asItIs).join(', ')
      : JSON.stringify(value)

function inWords(value: unknown, kind: Kind, t: TFunction): string | null {
  if (kind === 'present') return t(value === null ? 'verification.no' : 'verification.yes')
  if (kind === 'passed') return t(value === 'verified' ? 'verification.yes' : 'verification.no')
  if (value === null || value === 'none') return null
  switch (kind) {
    case 'flag':
      return t(value ? 'verification.yes' : 'verification.no')
    case 'money':
      return formatMoney(fromDollars(Number(value)), { exact: true })
    case 'time':
      return formatDateTime(String(value))
    case 'number':
      return formatNumber(Number(value))
    case 'files':
      return formatNumber(Array.isArray(value) ? value.length : 0)
    case 'code':
      return String(value).toUpperCase()
    case 'words':
    case 'person':
      return asItIs(value)
    default:
      return t(`${WORDS[kind]}.${value}` as TextKey, { defaultValue: String(value) })
  }
}
