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
  door: Door
  /** Paths that need no API key. */
  open?: (path: string) => boolean
}

/** Decides who calls, for the router and for what is answered without it. */
export interface Door {
  /** The role of the API key that a request brings; null when it brings none that is ours. */
  roleOf(apiKey: string | undefined): string | null
  /** The caller, at once where the same header came before. Rejects with TokenError for a bad bearer token. */
  callerOf(authorization: string | undefined, keyRole: string): Caller | Promise<Caller>
}

/** Headers of callers seen lately, so that a token is taken apart once and not with every request. */
const MAX_REMEMBERED = 2000

export function openDoor(keys: Keys): Door {
  // Only keys that are ours are remembered, so how long a look-up takes tells nothing about them.
  const roles = new Map<string, string>()
  const callers = new Map<string, { caller: Caller; until: number }>()
  const strangers = new Map<string, Caller>()

  function withoutToken(role: string): Caller {
    let caller = strangers.get(role)
    if (!caller) {
      caller = { role, claims: { role }, token: null }
      strangers.set(role, caller)
    }
    return caller
  }

  async function find(authorization: string, keyRole: string): Promise<Caller> {
    const caller = await findCaller(authorization, keyRole, keys)
    const { exp } = caller.claims
    if (callers.size >= MAX_REMEMBERED) callers.delete(callers.keys().next().value as string)
    // A header that holds no bearer token says nothing by itself.
    if (caller.token !== null) {
      callers.set(authorization, {
        caller,
        until: typeof exp === 'number' ? exp * 1000 : Number.POSITIVE_INFINITY,
      })
    }
    return caller
  }

  return {
    roleOf(apiKey) {
      if (!apiKey) return null
      const known = roles.get(apiKey)
      if (known) return known
      const role = keys.roleOf(apiKey)
      if (role) roles.set(apiKey, role)
      return role
    },
    callerOf(authorization, keyRole) {
      if (authorization === undefined) return withoutToken(keyRole)
      // supabase-js sends its key as the bearer while nobody is signed in.
      const keyAsBearer = roles.get(authorization.slice('bearer '.length))
      if (keyAsBearer && /^bearer /i.test(authorization)) return withoutToken(keyAsBearer)
      const known = callers.get(authorization)
      if (known && known.until > Date.now()) return known.caller
      return find(authorization, keyRole)
    },
  }
}

/**
 * Requires an API key (header `apikey` or query parameter `apikey`) and finds out who calls. A bad bearer token
 * does not stop the request here: `callerOf` throws its TokenError, which each service answers in its own words.
 */
export function gateway({ door, open = () => false }: GatewayOptions): MiddlewareHandler<GatewayVariables> {
  return async (c, next) => {
    if (c.req.method === 'OPTIONS') return next()
    const apiKey = c.req.header('apikey') ?? c.req.query('apikey')
    const keyRole = door.roleOf(apiKey)
    if (!keyRole && !open(c.req.path)) return c.json(apiKey ? WRONG_KEY : NO_KEY, 401)
    try {
      c.set('caller', await door.callerOf(c.req.header('authorization'), keyRole ?? 'anon'))
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
