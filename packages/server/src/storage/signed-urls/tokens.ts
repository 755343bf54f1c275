// The tokens of signed URLs: what they allow and to which object, signed with the project's own key. They carry no
// role, and access tokens carry no scope, so neither passes for the other.
import type { RequestContext } from '../../http/request-context.ts'
import { type Keys, TokenError } from '../../keys/keys.ts'
import { invalidShape, invalidSignature, invalidToken, TOKEN_EXPIRED, tokenMessage } from '../errors.ts'

export type DownloadToken = {
  scope: 'download'
  /** "bucket/name" */
  url: string
  /** Canonical text of the image transformation the URL was signed for, if it was for one. */
  transformations?: string
}

export type UploadToken = {
  scope: 'upload'
  url: string
  /** Subject of the person who signed, who will own the object. */
  owner?: string
  upsert: boolean
  signer: Signer
}

/** By whose right an upload's address was signed (see signer.ts). */
export type Signer = {
  /** `owner` had an account, without which the address is worth nothing. */
  account: boolean
  /** Claims of their access token that the account does not have. */
  claims: Record<string, unknown>
}

/** Signs the token. `lifetime` is seconds. */
export function signToken(keys: Keys, token: DownloadToken | UploadToken, lifetime: number): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  return keys.sign({ ...token, iat: now, exp: now + lifetime })
}

/** The verified claims of a token of this scope; `exp` is seconds since 1970. Throws InvalidJWT or InvalidSignature. */
export async function readToken<Scope extends 'download' | 'upload'>(
  keys: Keys,
  token: string,
  scope: Scope,
  url: string,
): Promise<Extract<DownloadToken | UploadToken, { scope: Scope }> & { exp: number }> {
  const claims = await keys.verify(token).catch((error) => {
    throw error instanceof TokenError ? invalidToken(tokenMessage(error)) : error
  })
  if (claims.scope !== scope) throw invalidSignature(`Token is not scoped for ${scope}`)
  if (claims.url !== url) throw invalidSignature()
  // No clock skew is allowed for: this server signed the token itself.
  if (typeof claims.exp !== 'number' || claims.exp * 1000 < Date.now()) throw invalidToken(TOKEN_EXPIRED)
  return claims as never
}

/** The token of a signed URL. Throws when the query has none. */
export function requireToken({ query }: RequestContext): string {
  const token = query.get('token')
  if (!token) throw invalidShape("querystring must have required property 'token'")
  return token
}
