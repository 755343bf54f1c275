// The `Prefer` header (RFC 7240): the preferences PostgREST knows, each used once, the first winning.
// Reference: PostgREST 14, "Preferences".
import { invalidPreferences } from '../errors/errors.ts'

export type Preferences = {
  resolution?: 'merge-duplicates' | 'ignore-duplicates'
  return?: 'representation' | 'minimal' | 'headers-only'
  count?: 'exact' | 'planned' | 'estimated'
  tx?: 'commit' | 'rollback'
  missing?: 'default' | 'null'
  handling?: 'strict' | 'lenient'
  timezone?: string
  maxAffected?: number
}

// A map, for the names come from strangers: an object would also know `constructor`.
const CHOICES = new Map<string, readonly string[]>([
  ['resolution', ['merge-duplicates', 'ignore-duplicates']],
  ['return', ['representation', 'minimal', 'headers-only']],
  ['count', ['exact', 'planned', 'estimated']],
  ['tx', ['commit', 'rollback']],
  ['missing', ['default', 'null']],
  ['handling', ['strict', 'lenient']],
])

const NONE: Preferences = Object.freeze({})

/**
 * Reads the header. `allowTx` says whether `tx` may be chosen by clients.
 * Throws PGRST122 for unknown preferences with `handling=strict`.
 */
export function readPreferences(header: string | undefined, allowTx: boolean): Preferences {
  if (!header) return NONE
  const found: Record<string, string> = {}
  const invalid: string[] = []
  let maxAffected: number | undefined
  for (const part of header.split(',')) {
    const text = part.trim()
    const equals = text.indexOf('=')
    const name = text.slice(0, Math.max(equals, 0))
    const value = text.slice(equals + 1)
    if (name === 'max-affected') {
      if (/^-?\d+$/.test(value)) maxAffected ??= Number(value)
    } else if (name === 'timezone' && isTimezone(value)) {
      found.timezone ??= value
    } else if (CHOICES.get(name)?.includes(value)) {
      if (name !== 'tx' || allowTx) found[name] ??= value
    } else if (text !== '') {
      invalid.push(text)
    }
  }
  const preferences: Preferences = found
  if (maxAffected !== undefined) preferences.maxAffected = maxAffected
  if (invalid.length > 0 && preferences.handling === 'strict') throw invalidPreferences(invalid)
  return preferences
}

function isTimezone(name: string): boolean {
  // A bare offset means opposite things in POSIX and ISO 8601, so only names are taken.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

type Applied = Exclude<keyof Preferences, 'maxAffected'>

const ORDER: Applied[] = ['resolution', 'missing', 'return', 'count', 'tx', 'handling', 'timezone']

/** The `Preference-Applied` header for the preferences in `names`, in PostgREST's order; null for none. */
export function preferenceApplied(preferences: Preferences, names: readonly Applied[]): string | null {
  if (preferences === NONE) return null
  const parts: string[] = []
  for (const name of ORDER) {
    const value = preferences[name]
    if (value !== undefined && names.includes(name)) parts.push(`${name}=${value}`)
  }
  return parts.length > 0 ? parts.join(', ') : null
}

/** The same for requests that can limit what they affect. */
export function withMaxAffected(applied: string | null, preferences: Preferences): string | null {
  if (preferences.handling !== 'strict' || preferences.maxAffected === undefined) return applied
  const part = `max-affected=${preferences.maxAffected}`
  return applied === null ? part : `${applied}, ${part}`
}
