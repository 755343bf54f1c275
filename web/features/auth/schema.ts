// The rules of the sign-in and sign-up forms (specification 000 §5); messages are text keys.

import { limits, phonePattern } from '../../../shared/limits.ts'
import { plainName, visibleLength } from '../../../shared/text.ts'
import type { TextKey } from '../../i18n/index.ts'
import { emailRule, newPasswordRule, passwordRule } from '../../lib/accountRules.ts'
import { latinDigits } from '../../lib/digits.ts'
import { z } from '../../lib/zod.ts'

const key = (text: TextKey) => text

export const signInSchema = z.object({
  email: emailRule,
  password: passwordRule,
})

export const signUpSchema = z.object({
  fullName: z
    .string()
    .overwrite(plainName)
    .refine((name) => visibleLength(name) >= limits.name.min, key('auth.nameTooShort'))
    .max(limits.name.max, key('auth.nameTooLong')),
  email: emailRule,
  phone: z
    .string()
    // As people write numbers: '+1 (306) 555-0123'.
    .overwrite((phone) => latinDigits(phone).replace(/[\s().-]/g, ''))
    .refine((phone) => phone === '' || phonePattern.test(phone), key('auth.invalidPhone')),
  password: newPasswordRule,
  role: z.enum(['task_giver', 'task_doer']),
})

/** Fields that a provider does not supply. */
export const finishAccountSchema = signUpSchema.pick({ fullName: true, phone: true, role: true })

export const forgotPasswordSchema = z.object({ email: emailRule })

export const newPasswordSchema = z.object({ password: newPasswordRule })

/** Of an authenticator app: six digits, however they are grouped. */
export const codeSchema = z.object({
  code: z
    .string()
    .overwrite((code) => latinDigits(code).replace(/\s/g, ''))
    .regex(/^\d{6}$/, key('auth.codeDigits')),
})

export const recoveryCodeSchema = z.object({
  code: z.string().trim().min(1, key('auth.recoveryCodeMissing')),
})

export type SignUp = z.infer<typeof signUpSchema>
export type FinishedAccount = z.infer<typeof finishAccountSchema>
