// ID tokens that apps bring from a provider's own library (OpenID Connect Core, section 3.1.3.7): signature, issuer,
// audience, time, nonce and access token, checked with jose against the issuer's published keys.
import { createHash, timingSafeEqual } from 'node:crypto'
import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  decodeProtectedHeader,
  type JWTPayload,
  jwtVerify,
} from 'jose'
import { LRUCache } from 'lru-cache'
import type { CustomFetch } from 'openid-client'
import { OAuthError } from '../errors.ts'
import { clientOf, type Provider } from './clients.ts'
import { TIMEOUT_SECONDS } from './outgoing.ts'
import type { Profile } from './profiles.ts'

/** The ID token from an app, with the secrets that belong to it. */
export type IdTokenGrant = { idToken: string; accessToken: string; nonce: string }

/**
 * The person whom the token describes. `once` identifies a token without a nonce until it expires, so that it cannot
 * be replayed.
 */
export type IdTokenProof = { profile: Profile; once: { parts: string[]; expiresAt: Date } | null }

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const CLOCK_SKEW_SECONDS = 30

const keySets = new LRUCache<string, ReturnType<typeof createRemoteJWKSet>>({ max: 100 })

/** Keys of an issuer; fetched again when they are old, or when a token names one that is not among them. */
function keysAt(address: string, ask: CustomFetch): ReturnType<typeof createRemoteJWKSet> {
  const known = keySets.get(address)
  if (known) return known
  const keys = createRemoteJWKSet(new URL(address), {
    timeoutDuration: TIMEOUT_SECONDS * 1000,
    [customFetch]: (url, options) => ask(url, { ...options, body: null } as never),
  })
  keySets.set(address, keys)
  return keys
}

const badToken = () => new OAuthError('invalid request', 'Bad ID token')

/**
 * Verifies an ID token and returns the person's profile. Throws OAuthError for a token of another provider or
 * project, and openid-client's errors if the issuer cannot be reached.
 */
export async function readIdToken(provider: Provider, grant: IdTokenGrant): Promise<IdTokenProof> {
  const { definition } = provider
  const source = definition.kind === 'oidc' ? definition : definition.idTokens
  if (!source) throw badToken()
  const openId: Provider = {
    ...provider,
    definition: {
      scopes: [],
      parameters: {},
      discoveryUrl: null,
      pkce: null,
      fetch: definition.fetch,
      ...source,
      kind: 'oidc',
    },
  }
  const { issuer, jwks_uri: jwks } = (await clientOf(openId)).serverMetadata()
  const claims = await verified(grant.idToken, issuer, jwks, definition.fetch)
  if (!claims.sub) throw new OAuthError('invalid request', 'Missing sub claim in id_token')
  checkParties(claims, provider.clientIds)
  // Facebook's Limited Login has no way to hash it.
  const checksNonce = !provider.skipNonceCheck && definition.kind === 'oidc'
  if (checksNonce) checkNonce(claims, grant.nonce)
  checkAccessToken(claims, grant)
  const once =
    checksNonce && claims.nonce ? null : { parts: proofOf(grant.idToken), expiresAt: endOf(claims) }
  return { profile: source.profile(claims, { issuer, user: '' }), once }
}

/** The signed part alone: a signature can be written in more than one way. */
const proofOf = (idToken: string): string[] => ['id_token', idToken.slice(0, idToken.lastIndexOf('.'))]

const endOf = ({ exp = 0 }: JWTPayload): Date => new Date((exp + CLOCK_SKEW_SECONDS) * 1000)

/**
 * Checks that the token is for this project alone. Every audience is one of its client IDs, and so is the party that
 * the token was issued to (`azp`). A token with several audiences must name that party.
 */
function checkParties({ aud, azp }: JWTPayload, clientIds: string[]): void {
  const audiences = [aud ?? []].flat()
  if (audiences.length === 0 || audiences.some((audience) => !clientIds.includes(audience))) {
    throw new OAuthError('invalid request', `Unacceptable audience in id_token: [${audiences.join(' ')}]`)
  }
  if (azp === undefined ? audiences.length === 1 : clientIds.includes(String(azp))) return
  throw new OAuthError('invalid request', `Unacceptable azp in id_token: ${JSON.stringify(azp ?? null)}`)
}

async function verified(
  idToken: string,
  issuer: string,
  jwks: string | undefined,
  ask: CustomFetch,
): Promise<JWTPayload> {
  try {
    // Microsoft's issuer has the tenant in it, whose name the token brings.
    const expected = issuer.replace('{tenantid}', String(decodeJwt(idToken).tid ?? ''))
    const { payload } = await jwtVerify(idToken, keysAt(jwks as string, ask), {
      issuer: expected,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_SKEW_SECONDS,
      requiredClaims: ['exp', 'iat'],
    })
    return payload
  } catch {
    throw badToken()
  }
}

/** The token holds the hash of the nonce that the app knows; either both have one or neither. */
function checkNonce({ nonce: hashed }: JWTPayload, nonce: string): void {
  if (Boolean(hashed) !== (nonce !== '')) {
    throw new OAuthError(
      'invalid request',
      'Passed nonce and nonce in id_token should either both exist or not.',
    )
  }
  if (!hashed) return
  const expected = createHash('sha256').update(nonce).digest('hex')
  if (!same(expected, String(hashed))) throw new OAuthError('invalid nonce', 'Nonces mismatch')
}

/** `at_hash` is the left half of the access token's hash, by the hash of the token's own algorithm. */
function checkAccessToken({ at_hash: hash }: JWTPayload, { idToken, accessToken }: IdTokenGrant): void {
  if (!hash || accessToken === '') return
  const size = /(256|384|512)$/.exec(decodeProtectedHeader(idToken).alg ?? '')?.[1] ?? '512'
  const digest = createHash(`sha${size}`).update(accessToken).digest()
  const expected = digest.subarray(0, digest.length / 2).toString('base64url')
  if (!same(expected, String(hash))) throw badToken()
}

const same = (expected: string, given: string): boolean =>
  expected.length === given.length && timingSafeEqual(Buffer.from(expected), Buffer.from(given))
