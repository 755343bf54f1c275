// The codes of errors: every call that raises one names a code and the parameters of its text, every code is raised somewhere,
// and what is generated from the list is current.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errorsRaised, plainRaises } from '../../scripts/error-calls.mjs'
import { generatedFiles } from '../../scripts/error-codes.mjs'
import { rules } from '../../shared/rules.ts'
import messages from '../../shared/texts/en/errors.json' with { type: 'json' }

const texts: Record<string, string> = messages
const raised = errorsRaised()
const paramsOf = (text: string) => [...text.matchAll(/\{\{(\w+)/g)].map(([, name = '']) => name)

/** Facts for clients, in addition to those of the text. */
const MORE_PARAMS = ['again_at']
/** Errors that only a programming mistake causes. */
const OF_PROGRAMMERS = [
  /^rules\.sql: raise exception 'There is no rule/,
  /^rules\.sql: raise exception 'The marketplace has no number/,
  /^ledger\.sql: raise exception 'Ledger/,
]

test('a code is a family and a rule', () => {
  expect(
    Object.keys(texts).filter((code) => !/^[a-z]+(_[a-z]+)*\.[a-z0-9]+(_[a-z0-9]+)*$/.test(code)),
  ).toEqual([])
})

test('every code that is raised is in the list, and every code of the list is raised', () => {
  expect(raised.length).toBeGreaterThan(300)
  expect(raised.filter(({ code }) => !(code in texts))).toEqual([])
  const used = new Set(raised.map(({ code }) => code))
  expect(Object.keys(texts).filter((code) => !used.has(code))).toEqual([])
})

test('every call gives the parameters of the text, and none else', () => {
  const lacking = raised.filter(({ code, params }) =>
    paramsOf(texts[code] ?? '').some((name) => !params.includes(name)),
  )
  expect(lacking).toEqual([])
  // One call may choose among several codes.
  const unused = raised.filter(({ call, params }) => {
    const known = raised
      .filter((other) => other.call === call)
      .flatMap(({ code }) => paramsOf(texts[code] ?? ''))
    return params.some((name) => !known.includes(name) && !MORE_PARAMS.includes(name))
  })
  expect(unused).toEqual([])
})

test('nothing is raised without a code', () => {
  expect(plainRaises().filter((raise) => !OF_PROGRAMMERS.some((known) => known.test(raise)))).toEqual([])
})

test.each(generatedFiles())('%s is current (npm run errors writes it)', (path, content) => {
  expect(readFileSync(path, 'utf8')).toBe(content)
})

/** Errors that no screen can cause: who writes requests by hand or runs a server meets them. All others are translated. */
const ENGLISH_ONLY = `
  series.agreed_invalid
  account.application_forbidden account.role_invalid account.role_required profile.avatar_invalid
  profile.availability_invalid profile.language_unknown profile.not_own profile.category_unknown session.missing
  recovery_code.rollback_forbidden admin.filter_unknown admin.kind_unknown admin.state_unknown
  admin.chargeback_state_unknown admin.period_unknown verification.not_pending verification.identity_fixed
  verification.background_check_invalid verification.insurance_invalid verification.sin_invalid verification.not_own
  verification.resubmission_not_own task.changed_and_closed task.not_own task.status_invalid task.tools_invalid
  task.offers_allowed_invalid
  time_proposal.not_own time_proposal.not_party time_proposal.time_differs time_proposal.answer_by_other
  time_proposal.withdraw_own arrival.only_tasker no_show.not_own no_show.not_party no_show.answer_by_other
  no_show.withdraw_own
  question.not_own answer.not_giver application_text.not_own calendar.not_own calendar.only_taskers
  booking.not_own booking.only_taskers booking.price_fixed booking.notes_not_allowed
  booking.cancellation_reason_not_allowed booking.cancel_by_function booking.payment_started
  booking.first_status_invalid payment.unchanged payment.only_release payment.intent_id_required payment.other_intent
  payment.intent_not_ended payment.publishable_key_missing ledger.append_only payment_method.last4_invalid
  payment_method.brand_unknown payment_method.expiry_invalid payment_method.customer_invalid
  payout_account.last4_invalid payout_account.unconfirmed payout_account.invalid payout.transfer_id_required
  payout.none_due refund.none_due refund.invalid stripe_event.invalid review.rating_out_of_range review.not_own
  review.reviewee_invalid review.task_invalid message.not_own message.photo_missing email.failure_reason_invalid
  email.subscribed_required mail_event.id_invalid mail_event.type_invalid mail_event.cause_invalid
  mail_event.address_invalid push.key_invalid push.secret_invalid push.failure_reason_invalid push.endpoint_not_https
  push.endpoint_too_long push.endpoint_not_ascii push.endpoint_port_invalid push.endpoint_host_invalid
  receipt.permanent photo.list_invalid photo.not_completing photo.not_answering search.sort_unknown
  search.position_incomplete search.availability_invalid search.radius_out_of_range search.near_sort_unknown
  search.after_incomplete point.invalid favourite.not_own report.kind_invalid audit_log.append_only hours.only_taskers
  hours.invalid hours.too_many hours.time_zone_unknown hours.buffer_out_of_range
  change.not_found change.kind_invalid change.not_tasker change.own change.answer_required change.not_own
  change.limit_not_giver change.tip_not_giver change.tip_too_early payment.follows_booking`
  .trim()
  .split(/\s+/)
/** Their parameters are English words, and the translation does without them. */
const WITHOUT_PARAMS = [
  'admin.required',
  'admin.own_case',
  'task.status_change_invalid',
  'booking.status_change_invalid',
]

test.each(rules.languages.filter((language) => language !== 'en'))(
  '%s words every error that people read',
  (language) => {
    const words: Record<string, string> = JSON.parse(
      readFileSync(`shared/texts/${language}/errors.json`, 'utf8'),
    )
    expect(Object.keys(words)).toEqual(Object.keys(texts).filter((code) => !ENGLISH_ONLY.includes(code)))
    const holes = (text = '') => String([...text.matchAll(/\{\{.+?\}\}/g)].sort())
    const wrong = Object.entries(words).filter(
      ([code, text]) =>
        text === texts[code] || holes(text) !== (WITHOUT_PARAMS.includes(code) ? '' : holes(texts[code])),
    )
    expect(wrong).toEqual([])
  },
)
