// The list of leaked passwords of Have I Been Pwned, asked so that it learns no password: by the first five digits of the
// SHA-1, to which it answers all that begin so (https://haveibeenpwned.com/API/v3#PwnedPasswords).
import { createHash } from 'node:crypto'
import { unexpected } from '../errors.ts'
import type { AuthService } from '../service.ts'

/** The list answers in a fraction of it; who waits is somebody who signs up. */
const TIMEOUT_MS = 5000
const PREFIX_LENGTH = 5

/**
 * Whether the list contains the password. Where the list cannot be asked, that is logged and the password is let
 * through; unexpected_failure is thrown instead with `fail_closed`.
 */
export async function isLeaked(password: string, { settings, log }: AuthService): Promise<boolean> {
  const { url, fail_closed: failClosed } = settings.password_hibp
  const digits = createHash('sha1').update(password).digest('hex').toUpperCase()
  try {
    const range = await askForRange(url, digits.slice(0, PREFIX_LENGTH))
    return range.has(digits.slice(PREFIX_LENGTH))
  } catch (error) {
    const words = 'Unable to perform password strength check with HaveIBeenPwned.org'
    log.warn({ err: error }, failClosed ? `${words}.` : `${words}, pwned passwords are being allowed`)
    if (failClosed) throw unexpected(`${words}.`)
    return false
  }
}

/** The rest of the digits of each leaked password that begins with these. */
async function askForRange(url: string, prefix: string): Promise<Set<string>> {
  const response = await fetch(`${url.replace(/\/$/, '')}/range/${prefix}`, {
    // Lines that stand for no password make all answers alike long; they have the count 0.
    headers: { 'add-padding': 'true', 'user-agent': 'Meadowlark' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`the list of leaked passwords answered ${response.status}`)
  const lines = text.split('\n').map((line) => line.trim().split(':'))
  return new Set(lines.filter(([, count]) => Number(count) > 0).map(([rest = '']) => rest.toUpperCase()))
}
