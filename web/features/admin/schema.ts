// The rules of an admin's decisions (specification 000 §2, §9); messages are text keys.

import { limits } from '../../../shared/limits.ts'
import { type Cents, cents } from '../../../shared/money.ts'
import { trimmed } from '../../../shared/text.ts'
import type { TextKey } from '../../i18n/index.ts'
import { centsFrom, hasTooManyDecimals } from '../../lib/amounts.ts'
import { z } from '../../lib/zod.ts'

const key = (text: TextKey) => text

const reason = z
  .string()
  .overwrite(trimmed)
  .refine((text) => [...text].length <= limits.decisionReason.max, key('admin.reasonTooLong'))

/** Why a verification is refused or taken back: the person reads it, so there must be one. */
export const refusalSchema = z.object({ reason: reason.min(1, key('admin.refusalReasonRequired')) })

export const approvalSchema = z.object({
  idVerified: z.boolean().refine(Boolean, key('admin.idUnconfirmed')),
  backgroundChecked: z.boolean(),
})

export type Approval = z.output<typeof approvalSchema>

export const notesSchema = z.object({ notes: z.string() })

/** Refund in cents for the admin's decision; null if the typed split is out of range. */
export function refundOfDecision(decision: string, typed: string, amount: Cents): Cents | null {
  if (decision === 'refund') return amount
  if (decision !== 'split') return cents(0)
  const returned = centsFrom(typed) ?? cents(0)
  return returned > 0 && returned < amount ? returned : null
}

/**
 * A decision about frozen money; `returned` is typed for a split only, the note is for both sides to read. With `asksExtras`, a split
 * says what becomes of extra payments.
 */
export const decisionSchema = <Decision extends string>(
  decisions: readonly Decision[],
  amount: Cents,
  asksExtras = false,
) =>
  z
    .object({
      decision: z.union([z.literal(''), z.literal(decisions)]).transform((chosen, context) => {
        if (chosen !== '') return chosen
        context.addIssue({ code: 'custom', message: key('admin.decisionRequired') })
        return z.NEVER
      }),
      returned: z.string(),
      extras: z.enum(['', 'release', 'refund']),
      note: reason,
    })
    .transform(({ decision, returned: typed, extras, note }, context) => {
      const returned = refundOfDecision(decision, typed, amount)
      if (asksExtras && decision === 'split' && extras === '') {
        context.addIssue({ code: 'custom', path: ['extras'], message: key('admin.extrasRequired') })
        return z.NEVER
      }
      if (returned !== null) return { decision, returned, extras, note }
      const message = key(hasTooManyDecimals(typed) ? 'ui.amountDecimals' : 'admin.returnedOutside')
      context.addIssue({ code: 'custom', path: ['returned'], message })
      return z.NEVER
    })

/** Why an account is suspended, or something is hidden: the person reads it. */
export const givenReasonSchema = z.object({ reason: reason.min(3, key('backOffice.reasonRequired')) })

export const ROLES = ['task_giver', 'task_doer', 'admin'] as const
export const rolesSchema = z.object({
  roles: z.array(z.enum(ROLES)).min(1, key('backOffice.people.roleRequired')),
})
