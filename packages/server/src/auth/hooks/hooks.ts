// The hooks of [auth.hook.*]: functions of the database or of somebody else's server that the auth service calls before it
// does something. Follows https://supabase.com/docs/guides/auth/auth-hooks and GoTrue's internal/hooks.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { z } from 'zod'
import { localAddress } from '../../config/local-names.mjs'
import { isUnavailable } from '../../sql/errors.ts'
import { queryTogether } from '../../sql/pipeline.ts'
import type { Transaction } from '../../sql/queryable.ts'
import { withoutData } from '../database-failures.ts'
import { AuthError, unexpected } from '../errors.ts'
import type { AuthService, AuthSettings } from '../service.ts'
import { askOverHttp, type HttpHook } from './http-hook.ts'

export type HookName = keyof AuthSettings['hook']

/** The names of the hooks in what they are sent. */
const SENT_NAMES: Record<HookName, string> = {
  before_user_created: 'before-user-created',
  after_user_created: 'after-user-created',
  password_verification_attempt: 'password-verification',
  mfa_verification_attempt: 'mfa-verification',
  custom_access_token: 'customize-access-token',
  send_sms: 'send-sms',
  send_email: 'send-email',
}

/** As on Supabase, for functions of the database. */
const FUNCTION_TIMEOUT = '2s'

const hookError = z.object({
  error: z.object({ message: z.string().min(1), http_code: z.int().min(400).max(599).catch(500) }),
})

export const isHookEnabled = ({ settings }: AuthService, name: HookName): boolean =>
  settings.hook[name].enabled

/**
 * The client's address and the transaction of the request. Without a transaction, a function of the database runs in
 * its own.
 */
export type HookContext = { ip: string | null; client?: Transaction }

/**
 * Asks the hook and returns its answer, or an empty object if it has none. Throws the hook's own error, the errors of
 * `askOverHttp`, or unexpected_failure.
 */
export async function runHook(
  service: AuthService,
  name: HookName,
  input: Record<string, unknown>,
  { ip, client }: HookContext,
): Promise<Record<string, unknown>> {
  const hook = service.settings.hook[name]
  const metadata = {
    uuid: randomUUID(),
    time: new Date().toISOString(),
    name: SENT_NAMES[name],
    ...(ip ? { ip_address: ip } : {}),
  }
  const payload = JSON.stringify({ metadata, ...input })
  const place = functionOf(hook.uri)
  const answer = place
    ? await askFunction(service, place, payload, client)
    : parse(
        await askOverHttp(addressed(service, hook), payload).catch((error) => noted(service, name, error)),
      )
  const refused = hookError.safeParse(answer)
  if (refused.success) {
    const { http_code: status, message } = refused.data.error
    throw new AuthError(status, status === 500 ? 'unexpected_failure' : 'unknown', message)
  }
  if (answer === null || answer === undefined) return {}
  if (typeof answer !== 'object' || Array.isArray(answer)) throw unexpected('Error unmarshaling JSON output.')
  return answer as Record<string, unknown>
}

/** The hook with the address at which this machine reaches it. */
const addressed = ({ here }: AuthService, hook: HttpHook): HttpHook => ({
  ...hook,
  uri: localAddress(hook.uri, here()),
})

/** Schema and name of `pg-functions://postgres/<schema>/<function>`; null for an address of another kind. */
function functionOf(uri: string): [string, string] | null {
  const parts = /^pg-functions:\/\/[^/]+\/([^/]+)\/([^/]+)$/.exec(uri)
  return parts ? [parts[1] as string, parts[2] as string] : null
}

async function askFunction(
  { database, log }: AuthService,
  place: [string, string],
  payload: string,
  given: Transaction | undefined,
): Promise<unknown> {
  const name = place.map((part) => pg.escapeIdentifier(part)).join('.')
  const ask = async (client: Transaction) => {
    const [, , rows] = await queryTogether(client, [
      { text: 'set local role supabase_auth_admin' },
      { text: `set local statement_timeout = '${FUNCTION_TIMEOUT}'` },
      { text: `select ${name}($1) as answer`, values: [payload] },
      { text: 'set local role none' },
      { text: 'set local statement_timeout to default' },
    ])
    return rows?.[0]?.answer
  }
  try {
    return await (given ? ask(given) : database.transaction(ask))
  } catch (error) {
    if (isUnavailable(error)) throw error
    const uri = `pg-functions://postgres/${place.join('/')}`
    log.error({ ...withoutData(error), hook: uri }, 'a hook failed')
    throw unexpected(`Error running hook URI: ${uri}`)
  }
}

function parse(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    throw unexpected('Error unmarshaling JSON output.')
  }
}

/** Logs why a hook over HTTP failed, for its operator, and throws it on. */
function noted({ log }: AuthService, hook: HookName, error: unknown): never {
  const { message, code } = error as AuthError
  log.error({ hook, code, reason: message }, 'a hook failed')
  throw error
}
