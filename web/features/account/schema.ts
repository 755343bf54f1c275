// The rules of the forms about an account; messages are text keys.
import { z } from 'zod'
import type { TextKey } from '../../i18n/index.ts'
import { emailRule, newPasswordRule, passwordRule } from '../../lib/accountRules.ts'

export const newPasswordSchema = z.object({
  currentPassword: passwordRule,
  password: newPasswordRule,
  /** From an e-mail, where the service asks for it. */
  code: z.string().trim(),
})

export type NewPassword = z.infer<typeof newPasswordSchema>

export const newEmailSchema = z.object({ email: emailRule })

/** Of whom has this address. */
export const deletionSchema = (email: string) =>
  z.object({
    confirmation: z
      .string()
      .trim()
      .refine((typed) => typed.toLowerCase() === email.toLowerCase(), {
        error: 'account.confirmationWrong' satisfies TextKey,
      }),
    password: passwordRule,
    /** Of the authenticator app, where the account has one. */
    code: z.string().trim(),
  })

export type Deletion = { confirmation: string; password: string; code: string }
