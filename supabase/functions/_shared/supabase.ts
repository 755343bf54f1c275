// The project's database as functions reach it: as the person who calls, or as trusted code; and who calls.
import { createHash, timingSafeEqual } from 'node:crypto'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { errorInDetail } from '../../../shared/errors.ts'
import { coded, HttpError } from './respond.ts'

export type Environment = Record<string, string | undefined>

/** Calls a database function as the person whose token the request carries. See `call` for errors. */
export function callAsUser<Result>(
  request: Request,
  env: Environment,
  name: string,
  args: Record<string, unknown>,
): Promise<Result> {
  const authorization = request.headers.get('authorization') ?? ''
  return call<Result>(client(env, required(env, 'SUPABASE_ANON_KEY'), authorization), name, args)
}

/** Calls a database function as a stranger. See `call` for errors. */
export function callAsStranger<Result>(
  env: Environment,
  name: string,
  args: Record<string, unknown>,
): Promise<Result> {
  return call<Result>(client(env, required(env, 'SUPABASE_ANON_KEY')), name, args)
}

/**
 * Where browsers reach the API: `https://<ref>.supabase.co`, without a path. SUPABASE_URL is not it where functions run on
 * the server's own machine.
 */
export function publicApi(env: Environment): string {
  return (env.SB_JWT_ISSUER ?? `${required(env, 'SUPABASE_URL')}/auth/v1`).replace(/\/auth\/v1\/?$/, '')
}

/** Calls a database function with all rights. See `call` for errors. */
export function callAsService<Result>(
  env: Environment,
  name: string,
  args: Record<string, unknown>,
): Promise<Result> {
  return call<Result>(client(env, required(env, 'SUPABASE_SERVICE_ROLE_KEY')), name, args)
}

/** The storage service with all rights. */
export function storageAsService(env: Environment): SupabaseClient['storage'] {
  return client(env, required(env, 'SUPABASE_SERVICE_ROLE_KEY')).storage
}

/** Whether the request carries a person's token and not just the key every browser has. */
export function hasUserToken(request: Request, env: Environment): boolean {
  const token = bearer(request)
  return token !== '' && token !== env.SUPABASE_ANON_KEY
}

/** Whether the request carries the project's secret key. */
export function hasSecretKey(request: Request, env: Environment): boolean {
  const secret = env.SUPABASE_SERVICE_ROLE_KEY
  return secret !== undefined && secret !== '' && isEqual(bearer(request), secret)
}

/** A variable that the platform always sets. */
export function required(env: Environment, name: string): string {
  const value = env[name]
  if (!value) throw new Error(`${name} is not set`)
  return value
}

/**
 * Runs a database function and answers its result. An error that the database raised for the caller is a HttpError
 * with that text and its code. So is a database that is away or too busy; anything else is an Error.
 */
async function call<Result>(
  supabase: SupabaseClient,
  name: string,
  args: Record<string, unknown>,
): Promise<Result> {
  const { data, error, status } = await supabase.rpc(name, args)
  if (!error) return data as Result
  if (status === 503) {
    throw coded(503, 'service.database_unavailable', { retryAfter: 1 })
  }
  const particulars = { field: error.hint || undefined, coded: errorInDetail(error.details) }
  // Class 22: a value that the database cannot take, such as text with a null character.
  if (error.code === 'P0001' || /^22/.test(error.code)) throw new HttpError(400, error.message, particulars)
  if (error.code === 'PT429') throw new HttpError(429, error.message, particulars)
  if (/^PGRST30/.test(error.code) || /^permission denied/.test(error.message)) {
    throw coded(401, 'account.not_authenticated')
  }
  if (error.code === '42501') throw new HttpError(403, error.message, { coded: particulars.coded })
  throw new Error(`${name}: ${error.message} (${error.code})`)
}

function client(env: Environment, key: string, authorization?: string): SupabaseClient {
  return createClient(required(env, 'SUPABASE_URL'), key, {
    auth: { persistSession: false, autoRefreshToken: false },
    ...(authorization ? { global: { headers: { authorization } } } : {}),
  })
}

function bearer(request: Request): string {
  return /^bearer\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? ''
}

/** Compares in a time that tells nothing of where they differ. */
export function isEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
