// Servers for the auth tests: a project with a config.toml of the test.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Message, startTestServer, type TestServer, type TestServerOptions } from '../support/server.ts'

/** Limits so high that no test meets them by chance. */
const limits = `
[auth.rate_limit]
email_sent = 100000
sign_in_sign_ups = 100000
token_verifications = 100000
token_refresh = 100000
anonymous_users = 100000
`

export type Settings = {
  /** Lines of the [auth], [auth.email], [auth.sms] and [auth.sessions] tables. */
  auth?: string
  email?: string
  sms?: string
  sessions?: string
  /** Whole tables, in the place of the high limits. */
  limits?: string
  /** Further tables. */
  more?: string
  /** Files to add, by their path relative to the project. */
  files?: Record<string, string>
  options?: Omit<TestServerOptions, 'workdir'>
}

/** Starts a server whose emails need confirming and may be asked for again at once, unless `settings` say otherwise. */
export async function authServer(settings: Settings = {}, start = startTestServer): Promise<TestServer> {
  const workdir = mkdtempSync(join(tmpdir(), 'meadowlark-auth-'))
  mkdirSync(join(workdir, 'supabase'))
  writeFileSync(
    join(workdir, 'supabase', 'config.toml'),
    `[auth]
site_url = "env(SITE_URL)"
minimum_password_length = 8
${settings.auth ?? ''}
[auth.email]
${settings.email?.includes('enable_confirmations') ? '' : 'enable_confirmations = true'}
${settings.email?.includes('max_frequency') ? '' : 'max_frequency = "0s"'}
${settings.email ?? ''}
[auth.sms]
${settings.sms?.includes('otp_expiry') ? '' : 'otp_expiry = 600'}
${settings.sms ?? ''}
[auth.sessions]
${settings.sessions ?? ''}
${settings.limits ?? limits}
${settings.more ?? ''}`,
  )
  for (const [path, content] of Object.entries(settings.files ?? {})) {
    writeFileSync(join(workdir, path), content)
  }
  const server = await start({ workdir, logLevel: process.env.LOG_LEVEL, ...settings.options })
  return {
    ...server,
    async stop() {
      await server.stop()
      rmSync(workdir, { recursive: true, force: true })
    },
  }
}

/** The newest message to `to` that `seen` does not hold yet; waits for its delivery, a minute at most. */
export async function nextMessage(server: TestServer, to: string, seen: Message[] = []): Promise<Message> {
  const until = Date.now() + 60_000
  for (;;) {
    const known = new Set(seen.map(({ created_at, text }) => created_at + text))
    const found = (await server.inbox()).find(
      (message) => message.to === to && !known.has(message.created_at + message.text),
    )
    if (found) return found
    if (Date.now() > until) throw new Error(`no message to ${to} within a minute`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** Metadata that the application's sign-up asks for. */
export const giver = (name: string) => ({ full_name: name, phone: null, role: 'task_giver' })

/** A request as no client of ours would make it. */
export async function raw(
  server: TestServer,
  path: string,
  init: Omit<RequestInit, 'body'> & { body?: unknown; bearer?: string } = {},
) {
  const { body, bearer, headers, ...rest } = init
  const response = await fetch(`${server.url}/auth/v1${path}`, {
    redirect: 'manual',
    method: body === undefined ? 'GET' : 'POST',
    ...rest,
    headers: {
      apikey: server.publishableKey,
      'content-type': 'application/json',
      ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  let json: unknown = null
  try {
    json = JSON.parse(text)
  } catch {}
  return { status: response.status, headers: response.headers, text, json: json as Record<string, unknown> }
}
