// Requirements that a server in production may lack if its operator allows it.

/**
 * The names that ALLOW takes, in addition to those of plugins. The last three are found in the database
 * (src/postgres/demo-people.ts, src/process/replicas.ts).
 */
export const WAIVERS = [
  'missing-site-url',
  'http-site-url',
  'site-url-path',
  'missing-smtp',
  'missing-sms',
  'published-secret',
  'weak-jwt-secret',
  'demo-people',
  'different-keys',
  'local-files',
] as const

export type Waiver = (typeof WAIVERS)[number]

/** One thing that lacks or is weak; `line` says what to do about it, `waiver` the name that ALLOW takes for it. */
export type Shortcoming = { waiver: string; line: string }
