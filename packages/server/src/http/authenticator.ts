// Finds out who calls, as Supabase's gateway does: which API key, whose token, and therefore which role.
import { type Keys, TokenError } from '../keys/keys.ts'

/** The access that a route requires. */
export type Access =
  /** Nothing. A key or a token that comes is read all the same. */
  | 'public'
  /** An API key, in the header or the query parameter `apikey`. */
  | 'key'
  /** An API key or a token, either alone, as Supabase's storage service takes them; a key that is not ours makes `anon`. */
  | 'caller'
  /** An API key and the token of somebody who is signed in. */
  | 'user'
  /** The same without an API key: for those who know this server only as where people sign in (OAuth). */
  | 'bearer'
  /** The secret key, or a token with the role service_role or supabase_admin. */
  | 'service'

export type Caller = {
  /** 'anon', 'authenticated', 'service_role', or whatever role the token carries. */
  role: string
  /** The token's claims; `{role}` for an API key alone. */
  claims: Record<string, unknown>
  /** The raw bearer JWT; null for an API key alone. */
  token: string | null
}

const withoutToken = (role: string): Caller => ({ role, claims: { role }, token: null })

/** The caller before authentication. */
export const NOBODY: Caller = withoutToken('anon')

export interface Authenticator {
  /** The role of the API key that a request brings; null when it brings none that is ours. */
  roleOf(apiKey: string | undefined): string | null
  /** The caller. Rejects with TokenError for a bad bearer token. */
  callerOf(authorization: string | undefined, keyRole: string): Promise<Caller>
}

/** The words of Supabase's gateway for a request without an API key. */
export const NO_KEY = {
  message: 'No API key found in request',
  hint: 'No `apikey` request header or url param was found.',
}

/** And for one whose key is none of ours. */
export const WRONG_KEY = {
  message: 'Invalid API key',
  hint: 'Double check your Supabase `anon` or `service_role` API key.',
}

/** The caller has an API key, but not the access that the route requires. */
export class AccessError extends Error {
  readonly access: Access
  /** Whether a bearer token came at all. */
  readonly hasToken: boolean

  constructor(access: Access, hasToken: boolean) {
    super(hasToken ? 'This token may not be used here' : 'A bearer token is needed here')
    this.access = access
    this.hasToken = hasToken
  }
}

export function createAuthenticator(keys: Keys): Authenticator {
  return {
    roleOf: (apiKey) => (apiKey ? keys.roleOf(apiKey) : null),
    async callerOf(authorization, keyRole) {
      const token = /^bearer +(.*)$/i.exec(authorization ?? '')?.[1]?.trim()
      // A header that holds no bearer token says nothing by itself.
      if (token === undefined) return withoutToken(keyRole)
      // supabase-js sends its key as the bearer while nobody is signed in.
      const bearerRole = keys.roleOf(token)
      if (bearerRole) return withoutToken(bearerRole)
      const claims = await keys.verify(token)
      const role = typeof claims.role === 'string' && claims.role !== '' ? claims.role : 'anon'
      return { role, claims: { ...claims, role }, token }
    },
  }
}

/** Whether a route with this access wants an API key. */
export const needsKey = (access: Access): boolean =>
  access !== 'public' && access !== 'bearer' && access !== 'caller'

/** Throws an AccessError, or the TokenError, unless `found`, who brought these, may use a route with this access. */
export function requireAccess(
  access: Access,
  found: Caller | TokenError,
  { authorization, apiKey }: { authorization?: string | undefined; apiKey?: string | undefined },
): void {
  if (access === 'public' || access === 'key') return
  if (access === 'caller') {
    if (!authorization && !apiKey) throw new AccessError(access, false)
    if (found instanceof TokenError) throw found
    return
  }
  const hasToken = /^bearer +\S/i.test(authorization ?? '')
  if (access !== 'service' && !hasToken) throw new AccessError(access, false)
  if (found instanceof TokenError) throw found
  if (access === 'service' ? !isService(found) : typeof found.claims.sub !== 'string')
    throw new AccessError(access, hasToken)
}

function isService({ role }: Caller): boolean {
  return role === 'service_role' || role === 'supabase_admin'
}
