// Passwords: bcrypt hashes as GoTrue stores them, the strength rules of config.toml, random passwords.
import { randomBytes } from 'node:crypto'
import { compare, hash } from '@node-rs/bcrypt'
import { invalid, weakPassword } from '../errors.ts'
import type { AuthSettings } from '../service.ts'

const cost = 10
/** bcrypt reads no further than this many bytes; a longer password would be weaker than it looks. */
const longest = 72

const lower = 'abcdefghijklmnopqrstuvwxyz'
const upper = lower.toUpperCase()
const digits = '0123456789'
const symbols = '!@#$%^&*()_+-=[]{};\'\\:"|<>?,./`~'

/** The character sets of which each needs one character, by the value of `password_requirements`. */
const requirements: Record<AuthSettings['password_requirements'], string[]> = {
  '': [],
  letters_digits: [lower + upper, digits],
  lower_upper_letters_digits: [lower, upper, digits],
  lower_upper_letters_digits_symbols: [lower, upper, digits, symbols],
}

/** Throws weak_password, with every rule that is broken, or validation_failed for more than 72 bytes. */
export function checkPassword(password: string, settings: AuthSettings): void {
  if (Buffer.byteLength(password) > longest) {
    throw invalid(`Password cannot be longer than ${longest} characters`)
  }
  const messages: string[] = []
  const reasons: string[] = []
  if (Buffer.byteLength(password) < settings.minimum_password_length) {
    reasons.push('length')
    messages.push(`Password should be at least ${settings.minimum_password_length} characters.`)
  }
  const sets = requirements[settings.password_requirements]
  if (sets.some((set) => ![...set].some((character) => password.includes(character)))) {
    reasons.push('characters')
    messages.push(`Password should contain at least one character of each: ${sets.join(', ')}.`)
  }
  if (reasons.length > 0) throw weakPassword(messages.join(' '), reasons)
}

/** The rules that a password in use breaks, or null; told to people whose password was set under older rules. */
export function weaknessOf(password: string, settings: AuthSettings) {
  try {
    checkPassword(password, settings)
    return null
  } catch (error) {
    const { message, reasons } = error as ReturnType<typeof weakPassword>
    return { message, reasons: reasons ?? [] }
  }
}

/** Slow by design: call it outside of transactions. */
export const hashPassword = (password: string): Promise<string> => hash(password, cost)

/** A hash of nothing anyone knows, compared with when there is no account, so that both take as long. */
const nobodysHash = hash(randomBytes(24).toString('base64url'), cost)

/** Whether `password` belongs to `stored`; takes as long when there is nothing stored. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const known = stored !== null && isBcrypt(stored)
  // bcrypt would compare only the first 72 bytes.
  const matches = await compare(password, known ? stored : await nobodysHash)
  return known && matches && Buffer.byteLength(password) <= longest
}

/** Whether `value` is a bcrypt hash, which is what can be imported. */
export const isBcrypt = (value: string): boolean => /^\$2[abxy]\$\d{2}\$[./A-Za-z0-9]{53}$/.test(value)
