// The rules of the forms about an account; messages are text keys.
import { z } from 'zod'
import { emailRule, newPasswordRule, passwordRule } from '../../lib/accountRules.ts'

export const newPasswordSchema = z.object({
  currentPassword: passwordRule,
  password: newPasswordRule,
  /** From an e-mail, where the service asks for it. */
  code: z.string().trim(),
})

export type NewPassword = z.infer<typeof newPasswordSchema>

export const newEmailSchema = z.object({ email: emailRule })
