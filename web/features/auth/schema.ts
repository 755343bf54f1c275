// The rules of the sign-in and sign-up forms (specification 000 §5); messages are text keys.
import { z } from 'zod'
import { limits, phonePattern } from '../../../shared/limits.ts'
import { trimmed, visibleLength } from '../../../shared/text.ts'
import type { TextKey } from '../../i18n/index.ts'

const key = (text: TextKey) => text

const email = z
  .string()
  .trim()
  .pipe(z.email(key('auth.invalidEmail')))
  .pipe(z.string().max(limits.email.max, key('auth.emailTooLong')))

const newPassword = z
  .string()
  .min(limits.password.min, key('auth.passwordTooShort'))
  .regex(/[A-Z]/, key('auth.passwordNeedsUppercase'))
  .regex(/\d/, key('auth.passwordNeedsNumber'))

export const signInSchema = z.object({
  email,
  password: z.string().min(1, key('auth.passwordRequired')),
})

export const signUpSchema = z.object({
  fullName: z
    .string()
    .overwrite(trimmed)
    .refine((name) => visibleLength(name) >= limits.name.min, key('auth.nameTooShort'))
    .max(limits.name.max, key('auth.nameTooLong')),
  email,
  phone: z
    .string()
    // As people write numbers: '+1 (306) 555-0123'.
    .overwrite((phone) => phone.replace(/[\s().-]/g, ''))
    .refine((phone) => phone === '' || phonePattern.test(phone), key('auth.invalidPhone')),
  password: newPassword,
  role: z.enum(['task_giver', 'task_doer']),
})

export const forgotPasswordSchema = z.object({ email })

export const newPasswordSchema = z.object({ password: newPassword })

export type SignUp = z.infer<typeof signUpSchema>
