// What a server in production may lack, if its operator says so.

/** The names that ALLOW takes. `demo-people` is looked for in the database (server/demo-people.ts). */
export const WAIVERS = [
  'missing-site-url',
  'http-site-url',
  'site-url-path',
  'missing-smtp',
  'missing-sms',
  'test-stripe-keys',
  'mixed-stripe-keys',
  'published-secret',
  'weak-jwt-secret',
  'demo-people',
] as const

export type Waiver = (typeof WAIVERS)[number]
