// The rules of the forms about an account; messages are text keys.

import type { TextKey } from '../../i18n/index.ts'
import { emailRule, newPasswordRule, passwordRule } from '../../lib/accountRules.ts'
import { latinDigits } from '../../lib/digits.ts'
import { z } from '../../lib/zod.ts'

/** Accounts from another service have no present password. */
export const newPasswordSchema = (hasPassword: boolean) =>
  z.object({
    currentPassword: hasPassword ? passwordRule : z.string(),
    password: newPasswordRule,
    /** From an e-mail, where the service asks for it. */
    code: z.string().trim(),
  })

export type NewPassword = z.infer<ReturnType<typeof newPasswordSchema>>

export const newEmailSchema = z.object({ email: emailRule })

/** Of whom has this address; `matches` says whether what was typed is it. */
export const deletionSchema = (matches: (typed: string) => boolean) =>
  z
    .object({
      confirmation: z
        .string()
        .trim()
        .refine(matches, { error: 'account.confirmationWrong' satisfies TextKey }),
      by: z.enum(['password', 'code']),
      password: z.string(),
      /** That signs in, from an e-mail or a text message. */
      code: z.string().trim(),
      /** Of the authenticator app or the phone, where the account has one. */
      factorCode: z.string().trim(),
    })
    .superRefine(({ by, password, code }, issues) => {
      if (by === 'password' && password === '')
        issues.addIssue({
          code: 'custom',
          path: ['password'],
          message: 'auth.passwordRequired' satisfies TextKey,
        })
      if (by === 'code' && code === '')
        issues.addIssue({ code: 'custom', path: ['code'], message: 'account.codeRequired' satisfies TextKey })
    })

export type Deletion = z.infer<ReturnType<typeof deletionSchema>>

export const factorNameSchema = z.object({
  name: z
    .string()
    .trim()
    .min(1, 'account.factorNameMissing' satisfies TextKey)
    .max(100, 'account.factorNameTooLong' satisfies TextKey),
})

/** Six digits, however they are grouped. */
export const factorProofSchema = z.object({
  code: z
    .string()
    .overwrite((code) => latinDigits(code).replace(/\s/g, ''))
    .regex(/^\d{6}$/, 'account.appCodeDigits' satisfies TextKey),
})
