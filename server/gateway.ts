// The door in front of every service, as on Supabase: which API key, whose token, and therefore which role.
import type { Context, MiddlewareHandler } from 'hono'
import { type Keys, TokenError } from './keys.ts'

export type Caller = {
  /** 'anon', 'authenticated', 'service_role', or whatever role the token carries. */
  role: string
  /** The token's claims; `{role}` for an API key alone. */
  claims: Record<string, unknown>
  /** The raw bearer JWT; null for an API key alone. */
  token: string | null
}

export type GatewayVariables = { Variables: { caller: Caller; tokenError: TokenError } }

export interface GatewayOptions {
  keys: Keys
  /** Paths that need no API key. */
  open?: (path: string) => boolean
}

/**
 * Requires an API key (header `apikey` or query parameter `apikey`) and finds out who calls. A bad bearer token
 * does not stop the request here: `callerOf` throws its TokenError, which each service answers in its own words.
 */
export function gateway({ keys, open = () => false }: GatewayOptions): MiddlewareHandler<GatewayVariables> {
  return async (c, next) => {
    if (c.req.method === 'OPTIONS') return next()
    const apiKey = c.req.header('apikey') ?? c.req.query('apikey')
    const keyRole = apiKey ? keys.roleOf(apiKey) : null
    if (!keyRole && !open(c.req.path)) return c.json(apiKey ? WRONG_KEY : NO_KEY, 401)
    try {
      c.set('caller', await findCaller(c.req.header('authorization'), keyRole ?? 'anon', keys))
    } catch (error) {
      if (!(error instanceof TokenError)) throw error
      c.set('tokenError', error)
    }
    return next()
  }
}

/** Who calls. Throws the TokenError when the request carried a bad token, so nobody takes it for a stranger's. */
export function callerOf(c: Context): Caller {
  const error = c.get('tokenError') as TokenError | undefined
  if (error) throw error
  return c.get('caller') as Caller
}

export const NO_KEY = {
  message: 'No API key found in request',
  hint: 'No `apikey` request header or url param was found.',
}

export const WRONG_KEY = {
  message: 'Invalid API key',
  hint: 'Double check your Supabase `anon` or `service_role` API key.',
}

async function findCaller(authorization: string | undefined, keyRole: string, keys: Keys): Promise<Caller> {
  const token = /^bearer +(.*)$/i.exec(authorization ?? '')?.[1]?.trim()
  if (token === undefined) return { role: keyRole, claims: { role: keyRole }, token: null }
  // supabase-js sends its key as the bearer while nobody is signed in.
  const bearerKey = keys.roleOf(token)
  if (bearerKey) return { role: bearerKey, claims: { role: bearerKey }, token: null }
  const claims = await keys.verify(token)
  const role = typeof claims.role === 'string' && claims.role !== '' ? claims.role : 'anon'
  return { role, claims: { ...claims, role }, token }
}
