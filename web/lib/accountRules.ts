// Rules for addresses and passwords (specification 000 §5). Messages are text keys.

import { limits } from '../../shared/limits.ts'
import type { TextKey } from '../i18n/index.ts'
import { z } from './zod.ts'

const key = (text: TextKey) => text

export const emailRule = z
  .string()
  .trim()
  .pipe(z.email(key('auth.invalidEmail')))
  .pipe(z.string().max(limits.email.max, key('auth.emailTooLong')))

/** A password to be taken; `supabase/config.toml` holds the same rule. */
export const newPasswordRule = z
  .string()
  .min(limits.password.min, key('auth.passwordTooShort'))
  .regex(/[A-Z]/, key('auth.passwordNeedsUppercase'))
  .regex(/\d/, key('auth.passwordNeedsNumber'))

/** A password that is there already. */
export const passwordRule = z.string().min(1, key('auth.passwordRequired'))
