// The server of the tests of hooks: each hook of it is called over HTTP, at a listener of the test's own.

import { Webhook } from 'standardwebhooks'
import { expect } from 'vitest'
import { listen, type Reply } from '../support/listener.ts'
import { stranger } from '../support/people.ts'
import { password } from './people.ts'
import { authServer, giver } from './project.ts'
import { samlTable } from './sso.ts'

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
const NAMES = [
  'before_user_created',
  'after_user_created',
  'password_verification_attempt',
  'mfa_verification_attempt',
  'custom_access_token',
  'send_sms',
  'send_email',
] as const
type Name = (typeof NAMES)[number]

export const json = (value: unknown): Reply => ({ body: JSON.stringify(value) })

/** A hook's refusal. */
export const refusing = (http_code: number, message: string): Reply => json({ error: { http_code, message } })

export type HookEvent = {
  metadata: Record<string, string>
  user: Record<string, unknown>
  email_data: Record<string, string>
  sms: Record<string, string>
} & Record<string, unknown>

/** Metadata of every event. */
export const metadata = (name: string) => ({
  uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
  time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  name,
  ip_address: '127.0.0.1',
})

/** Starts server and listener. Hooks answer what `replies` says, or let everything pass. */
export async function hookServer() {
  const replies: Partial<Record<Name, Reply>> = {}
  const hook = await listen(({ path, body }) => {
    const name = path.slice(1) as Name
    return replies[name] ?? (name === 'custom_access_token' ? { body } : json({}))
  })
  const table = (name: Name) =>
    `[auth.hook.${name}]\nenabled = true\nuri = "${hook.url}/${name}"\nsecrets = "v1,${SECRET}"`
  const server = await authServer({
    auth: 'enable_anonymous_sign_ins = true\nenable_manual_linking = true',
    sms: 'enable_signup = true\nenable_confirmations = true\nmax_frequency = "0s"',
    more: `${NAMES.map(table).join('\n')}
${samlTable()}
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
[auth.mfa.phone]
enroll_enabled = true
verify_enabled = true
max_frequency = "0s"
[auth.email.notification.password_changed]
enabled = true
[auth.email.notification.phone_changed]
enabled = true
[auth.email.notification.mfa_factor_enrolled]
enabled = true
[auth.email.notification.mfa_factor_unenrolled]
enabled = true
[auth.email.notification.identity_unlinked]
enabled = true`,
  })

  /** The hook's events so far, each with a verified signature. */
  const eventsOf = (name: Name): HookEvent[] =>
    hook.received
      .filter(({ path }) => path === `/${name}`)
      .map(({ body, headers }) => new Webhook(SECRET).verify(body, headers as never) as HookEvent)

  return {
    server,
    replies,
    eventsOf,
    /** Forgets what hooks were sent. */
    forget() {
      hook.received.length = 0
    },
    /** Lets every hook answer as at first, and forgets what they were sent. */
    reset() {
      for (const name of NAMES) delete replies[name]
      hook.received.length = 0
    },
    /** Somebody who has confirmed their address by what the hook was to send. */
    async newcomer(email: string) {
      const client = stranger(server)
      const { error } = await client.auth.signUp({ email, password, options: { data: giver('Grace Field') } })
      if (error) throw error
      const token = eventsOf('send_email').at(-1)?.email_data.token as string
      const verified = await client.auth.verifyOtp({ email, token, type: 'signup' })
      if (verified.error || !verified.data.session) throw verified.error ?? new Error('no session')
      return { client, session: verified.data.session }
    },
    /** The accounts with an address. */
    async accounts(email: string) {
      const { rows } = await server.database.pool.query('select id from auth.users where email = $1', [email])
      return rows
    },
    async stop() {
      await server.stop()
      await hook.close()
    },
  }
}
