// This server as the client of a provider (OAuth 2, OpenID Connect), with openid-client: the address people are sent to,
// and the exchange of the code that they come back with. Discovery documents and keys are kept for a while.
import { LRUCache } from 'lru-cache'
import * as oidc from 'openid-client'
import { keyedHash } from '../store/rate-limits.ts'
import type { Definition } from './catalog.ts'
import { TIMEOUT_SECONDS } from './outgoing.ts'
import type { Profile } from './profiles.ts'

/** A provider that is switched on. */
export type Provider = {
  /** As clients and identities name it. */
  name: string
  definition: Definition
  /** The first is this server's own; ID tokens may be issued to the others, too. */
  clientIds: [string, ...string[]]
  secret: string
  redirectUri: string
  scopes: string[]
  skipNonceCheck: boolean
  emailOptional: boolean
}

/** A provider's checked answer to a code. */
export type Grant = { profile: Profile; accessToken: string; refreshToken: string }

const DISCOVERY_LIFETIME_MS = 60 * 60_000
const discovered = new LRUCache<string, oidc.Configuration, Provider>({
  max: 100,
  ttl: DISCOVERY_LIFETIME_MS,
  fetchMethod: (_key, _stale, { context }) => discover(context),
})

/** The provider's endpoints and this server's credentials for them. Throws when the issuer cannot be reached. */
export async function clientOf(provider: Provider): Promise<oidc.Configuration> {
  const { definition, clientIds, secret } = provider
  const { fetch: _, ...named } = definition
  const key = JSON.stringify([named, clientIds[0], secret])
  const configuration = await discovered.fetch(key, { context: provider })
  if (!configuration) throw new Error(`no configuration of ${definition.issuer}`)
  return configuration
}

async function discover({ definition, clientIds, secret }: Provider): Promise<oidc.Configuration> {
  const [clientId] = clientIds
  if (definition.kind === 'oidc') return discoverIssuer(definition, clientId, authenticationBy(secret))
  const authentication =
    definition.authentication === 'body' ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret)
  return endpointsOf(definition, clientId, authentication)
}

/** Reads an issuer's discovery document. Throws openid-client's errors, also if the document names another issuer. */
export async function discoverIssuer(
  { issuer, discoveryUrl, fetch }: Pick<Definition & { kind: 'oidc' }, 'issuer' | 'discoveryUrl' | 'fetch'>,
  clientId: string,
  authentication?: oidc.ClientAuth,
): Promise<oidc.Configuration> {
  const address = discoveryUrl ?? issuer
  const configuration = await oidc.discovery(new URL(address), clientId, undefined, authentication, {
    timeout: TIMEOUT_SECONDS,
    execute: address.startsWith('http:') ? [oidc.allowInsecureRequests] : [],
    [oidc.customFetch]: fetch,
  })
  // The library compares them where it works the address out by itself.
  const named = configuration.serverMetadata().issuer
  if (discoveryUrl !== null && named !== issuer) {
    throw new Error(`the issuer is ${JSON.stringify(named)} instead of ${JSON.stringify(issuer)}`)
  }
  // Signatures of ID tokens are checked, though they come from the issuer itself.
  oidc.enableNonRepudiationChecks(configuration)
  return configuration
}

function endpointsOf(
  { issuer, authorization, token, fetch }: Definition & { kind: 'oauth2' },
  clientId: string,
  authentication: oidc.ClientAuth,
): oidc.Configuration {
  const configuration = new oidc.Configuration(
    { issuer, authorization_endpoint: authorization, token_endpoint: token },
    clientId,
    undefined,
    authentication,
  )
  if (token.startsWith('http:')) oidc.allowInsecureRequests(configuration)
  configuration[oidc.customFetch] = fetch
  configuration.timeout = TIMEOUT_SECONDS
  return configuration
}

/** In the body where the issuer takes that, else by the header, which every issuer has to take. */
const authenticationBy =
  (secret: string): oidc.ClientAuth =>
  (server, ...rest) => {
    const inBody = server.token_endpoint_auth_methods_supported?.includes('client_secret_post')
    return (inBody ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret))(server, ...rest)
  }

/** Secrets of one flow, worked out from its state and this server's secret: nothing of them is stored. */
type Secrets = { secret: string }
const derived = (keys: Secrets, purpose: string, state: string): string =>
  keyedHash(keys, purpose, state).slice(purpose.length + 1)
const verifierOf = (keys: Secrets, state: string) => derived(keys, 'provider-verifier', state)
const nonceOf = (keys: Secrets, state: string) => derived(keys, 'provider-nonce', state)

const takesChallenge = ({ definition }: Provider, configuration: oidc.Configuration): boolean =>
  definition.pkce ?? configuration.serverMetadata().supportsPKCE()

/** Where people sign in, and come back from with `state`. `parameters` are the client's own, which override nothing. */
export async function authorizationUrl(
  provider: Provider,
  keys: Secrets,
  state: string,
  { scopes, parameters }: { scopes: string[]; parameters: Record<string, string> },
): Promise<string> {
  const configuration = await clientOf(provider)
  const { definition } = provider
  const challenge: Record<string, string> = takesChallenge(provider, configuration)
    ? {
        code_challenge: await oidc.calculatePKCECodeChallenge(verifierOf(keys, state)),
        code_challenge_method: 'S256',
      }
    : {}
  return oidc.buildAuthorizationUrl(configuration, {
    ...parameters,
    ...definition.parameters,
    ...(definition.kind === 'oidc' ? { nonce: nonceOf(keys, state) } : {}),
    ...challenge,
    redirect_uri: provider.redirectUri,
    scope: [...new Set([...provider.scopes, ...scopes])].join(' '),
    state,
  }).href
}

/**
 * Exchanges the code of a callback and reads who came. Throws openid-client's errors: a wrong `iss`, state, code, nonce,
 * signature or audience, and a provider that cannot be reached.
 */
export async function redeemCallback(
  provider: Provider,
  keys: Secrets,
  state: string,
  callback: URLSearchParams,
): Promise<Grant> {
  const { definition, redirectUri, secret } = provider
  const configuration = await clientOf(provider)
  const address = new URL(redirectUri)
  address.search = callback.toString()
  const isOpenId = definition.kind === 'oidc'
  const checks: oidc.AuthorizationCodeGrantChecks = {
    expectedState: state,
    ...(takesChallenge(provider, configuration) ? { pkceCodeVerifier: verifierOf(keys, state) } : {}),
    ...(isOpenId ? { expectedNonce: nonceOf(keys, state), idTokenExpected: true } : {}),
  }
  const tokens = await oidc.authorizationCodeGrant(configuration, address, checks).catch((error) => {
    if (isOpenId || definition.authentication === 'body' || !refusedByHeader(error)) throw error
    const inBody = endpointsOf(definition, provider.clientIds[0], oidc.ClientSecretPost(secret))
    return oidc.authorizationCodeGrant(inBody, address, checks)
  })
  const { access_token: accessToken, refresh_token: refreshToken = '' } = tokens
  if (definition.kind === 'oauth2') {
    return { profile: await definition.profile(accessToken, { secret }), accessToken, refreshToken }
  }
  const claims = { ...tokens.claims() } as Record<string, unknown>
  const { issuer, userinfo_endpoint: userinfo } = configuration.serverMetadata()
  // Issuers may keep a person's claims for this endpoint (OpenID Connect Core, section 5.4).
  const more =
    claims.email === undefined && userinfo
      ? await oidc.fetchUserInfo(configuration, accessToken, String(claims.sub))
      : {}
  const profile = definition.profile({ ...more, ...claims }, { issuer, user: callback.get('user') ?? '' })
  return { profile, accessToken, refreshToken }
}

/** Whether a provider does not know this server by its header, and has not looked at the code yet. */
const refusedByHeader = (error: unknown): boolean =>
  error instanceof oidc.WWWAuthenticateChallengeError ||
  (error instanceof oidc.ResponseBodyError && /^invalid_(client|request)$/.test(error.error))
