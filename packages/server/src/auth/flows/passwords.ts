// Passwords: bcrypt hashes as GoTrue stores them, the strength rules of config.toml, random passwords.
import { randomBytes } from 'node:crypto'
import { compare, hash } from '@node-rs/bcrypt'
import { AuthError, invalid, weakPassword } from '../errors.ts'
import type { AuthService, AuthSettings } from '../service.ts'
import { isLeaked } from './leaked-passwords.ts'

const BCRYPT_COST = 10
/** bcrypt reads no further than this many bytes; a longer password would be weaker than it looks. */
const MAX_PASSWORD_BYTES = 72

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '0123456789'
const SYMBOLS = '!@#$%^&*()_+-=[]{};\'\\:"|<>?,./`~'

/** The character sets of which each needs one character, by the value of `password_requirements`. */
const REQUIRED_SETS: Record<AuthSettings['password_requirements'], string[]> = {
  '': [],
  letters_digits: [LOWER + UPPER, DIGITS],
  lower_upper_letters_digits: [LOWER, UPPER, DIGITS],
  lower_upper_letters_digits_symbols: [LOWER, UPPER, DIGITS, SYMBOLS],
}

/**
 * Throws weak_password, with every rule that is broken, validation_failed for more than 72 bytes, or unexpected_failure
 * where the list of leaked passwords has to be asked and cannot be.
 */
export async function checkPassword(password: string, service: AuthService): Promise<void> {
  const { settings } = service
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) {
    throw invalid(`Password cannot be longer than ${MAX_PASSWORD_BYTES} characters`)
  }
  const messages: string[] = []
  const reasons: string[] = []
  if (Buffer.byteLength(password) < settings.minimum_password_length) {
    reasons.push('length')
    messages.push(`Password should be at least ${settings.minimum_password_length} characters.`)
  }
  const sets = settings.password_required_characters ?? REQUIRED_SETS[settings.password_requirements]
  if (sets.some((set) => ![...set].some((character) => password.includes(character)))) {
    reasons.push('characters')
    messages.push(`Password should contain at least one character of each: ${sets.join(', ')}.`)
  }
  if (settings.password_hibp.enabled && (await isLeaked(password, service))) {
    reasons.push('pwned')
    messages.push('Password is known to be weak and easy to guess, please choose a different one.')
  }
  if (reasons.length > 0) throw weakPassword(messages.join(' '), reasons)
}

/** The rules that a password in use breaks, or null; it may have been set under older rules, or leaked since. */
export async function weaknessOf(password: string, service: AuthService) {
  try {
    await checkPassword(password, service)
    return null
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    const { status, message, reasons } = error
    return status < 500 ? { message, reasons: reasons ?? [] } : null
  }
}

/** Slow by design: call it outside of transactions. */
export const hashPassword = (password: string): Promise<string> => hash(password, BCRYPT_COST)

/** Compared with when there is no account, so that the answer takes as long as for one that exists. */
const unmatchableHash = hash(randomBytes(24).toString('base64url'), BCRYPT_COST)

/** Whether `password` belongs to `stored`; takes as long when there is nothing stored. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const known = stored !== null && isBcrypt(stored)
  // bcrypt would compare only the first 72 bytes.
  const matches = await compare(password, known ? stored : await unmatchableHash)
  return known && matches && Buffer.byteLength(password) <= MAX_PASSWORD_BYTES
}

/** Whether `value` is a bcrypt hash, which is what can be imported. */
export const isBcrypt = (value: string): boolean => /^\$2[abxy]\$\d{2}\$[./A-Za-z0-9]{53}$/.test(value)
