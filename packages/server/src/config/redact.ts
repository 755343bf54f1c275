// Removes secrets from texts for a screen or a log, by their shape and by their value.

/** Settings whose value is a secret, by their names; and tables in which every setting is one. */
export const SECRET_NAME = /secret|pass(word|wd)?$|key|token$|credential|private|^DATABASE_URL$/i
const SECRET_TABLES = ['vault', 'secrets', 'test_otp']

/** Shorter values would be found where they mean something else. */
const SHORTEST = 8

const PATTERNS: [RegExp, string][] = [
  // The password of an address: everything between the colon and the last @ before the host.
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/?#@"']*):[^\s/"']+@/gi, '$1:[secret]@'],
  // Stripe, Supabase, JSON Web Tokens.
  [/\b(sk|rk)_(test|live)_[A-Za-z0-9]{4,}/g, '$1_$2_[secret]'],
  [/\bwhsec_[A-Za-z0-9+/=]{4,}/g, 'whsec_[secret]'],
  [/\bsb_secret_[\w-]{4,}/g, 'sb_secret_[secret]'],
  [/\b(pi|seti)_([A-Za-z0-9]+)_secret_[A-Za-z0-9]+/g, '$1_$2_secret_[secret]'],
  [/\beyJ[\w-]{8,}\.eyJ[\w-]+\.[\w-]+/g, '[token]'],
]

/** Takes out what looks like a secret. */
export function redact(text: string): string {
  return PATTERNS.reduce((redacted, [pattern, replacement]) => redacted.replace(pattern, replacement), text)
}

/**
 * A function that takes out these values as well, as they are, and as addresses, JSON and Base64 write them (a mail
 * server may repeat what it was sent).
 */
export function redactor(secrets: readonly (string | null | undefined)[]): (text: string) => string {
  const forms = new Set<string>()
  for (const secret of secrets) {
    if (!secret || secret.length < SHORTEST) continue
    forms.add(secret)
    forms.add(JSON.stringify(secret).slice(1, -1))
    forms.add(encodeURIComponent(secret))
    forms.add(Buffer.from(secret).toString('base64'))
  }
  // The longest first, should one be part of another.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length)
  return (text) => {
    let redacted = text
    for (const form of longestFirst)
      if (redacted.includes(form)) redacted = redacted.replaceAll(form, '[secret]')
    return redact(redacted)
  }
}

/** A setting's value as an error shows it, or null for a secret; `path` is its name, from the outermost table on. */
export function shown(path: readonly string[], value: unknown): string | null {
  if (SECRET_NAME.test(path.at(-1) ?? '') || path.some((name) => SECRET_TABLES.includes(name))) return null
  if (value !== null && typeof value === 'object' && !(value instanceof Date)) {
    return Array.isArray(value) ? 'a list' : 'a table'
  }
  return redact(JSON.stringify(value) ?? 'nothing')
}
