// POST /token?grant_type=id_token: a session for the ID token that an app has from a provider's own library, or, with
// `link_identity`, that identity for the account of the signed-in person.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import type { Transaction } from '../../sql/queryable.ts'
import { flag, text } from '../body.ts'
import { AuthError, badRequest, invalid, notFound, OAuthError } from '../errors.ts'
import { type ExternalIdentity, type ExternalSignIn, signInExternally } from '../flows/external-identities.ts'
import { requireSecondFactor } from '../flows/factors.ts'
import { linkToUser } from '../flows/linked-identities.ts'
import { requireRecentSignIn } from '../flows/reauthentication.ts'
import { findSignedIn, startSession } from '../flows/sessions.ts'
import { afterUserCreated } from '../hooks/user-created.ts'
import { USUAL_ISSUERS } from '../providers/catalog.ts'
import type { Provider } from '../providers/clients.ts'
import { findCustom, isCustom } from '../providers/custom.ts'
import { readIdToken } from '../providers/id-tokens.ts'
import { enabledProvider } from '../providers/registry.ts'
import { type AuthRequest, notForClients, readClaims, type UserClaims } from '../route.ts'
import type { AuthService, Origin } from '../service.ts'
import { spendProof } from '../store/used-proofs.ts'
import { refuseUnreachable } from './authorize.ts'

export const idTokenBody = z.object({
  id_token: text,
  access_token: text,
  nonce: text,
  provider: text,
  client_id: text,
  issuer: text,
  link_identity: flag(false),
})

type Body = z.output<typeof idTokenBody>

/** Throws OAuthError for a token that proves nobody, and what the account's own rules refuse. */
export async function signInWithIdToken(
  service: AuthService,
  { body, raw, origin }: AuthRequest<Body>,
): Promise<Answer> {
  const { id_token: idToken, provider: name, client_id: clientId, issuer } = body
  if (idToken === '') throw new OAuthError('invalid request', 'id_token required')
  if (name === '' && (clientId === '' || issuer === '')) {
    throw new OAuthError('invalid request', 'provider or client_id and issuer required')
  }
  if (body.link_identity && !raw.headers.authorization) {
    throw new OAuthError('invalid request', 'Linking requires a valid user access token in Authorization')
  }
  const claims = body.link_identity ? readClaims(raw.caller) : null
  if (claims?.clientId) throw notForClients()
  const provider = await chosenProvider(service, body)
  const grant = { idToken, accessToken: body.access_token, nonce: body.nonce }
  const { profile, once } = await readIdToken(provider, grant).catch((error) => {
    if (error instanceof AuthError) throw error
    return refuseUnreachable(service, provider, error)
  })
  if (profile.emails.length === 0 && !provider.emailOptional) {
    throw new OAuthError('invalid request', 'Bad ID token')
  }
  const external = { provider: provider.name, ...profile }
  const outcome = await service.database.transaction(async (client) => {
    if (once && !(await spendProof(client, once.parts, once.expiresAt))) {
      throw new OAuthError('invalid request', 'ID token without a nonce was already used')
    }
    const entered = claims
      ? await link(client, service, claims, external, origin)
      : await signInExternally(client, service, external, origin, provider)
    if (entered instanceof AuthError) return entered
    const { user, created } = entered
    return { session: await startSession(client, service, user.id, 'oauth', origin), user, created }
  })
  if (outcome instanceof AuthError) throw outcome
  const { session, user, created } = outcome
  if (created) {
    service.log.info({ user: user.id, provider: provider.name }, 'a sign-up')
    await afterUserCreated(service, user.id, origin.ip)
  }
  return json(session)
}

async function link(
  client: Transaction,
  service: AuthService,
  claims: UserClaims,
  external: ExternalIdentity,
  origin: Origin,
): Promise<ExternalSignIn | AuthError> {
  const { user, session } = await findSignedIn(client, claims, { lock: true })
  if (!service.settings.enable_manual_linking) {
    throw notFound('manual_linking_disabled', 'Manual linking is disabled')
  }
  requireSecondFactor(user, session, 'identities')
  await requireRecentSignIn(client, service, user, session)
  return linkToUser(client, service, user, external, origin)
}

/** The provider by its name or its issuer. Throws provider_disabled, and validation_failed for one that is unknown. */
async function chosenProvider(service: AuthService, { provider: name, issuer }: Body): Promise<Provider> {
  if (isCustom(name)) return customProvider(service, name)
  const byIssuer = (one: string) => issuerOf(service, one) === issuer && issuer !== ''
  const chosen = name || Object.keys({ ...USUAL_ISSUERS, ...service.settings.external }).find(byIssuer) || ''
  const provider = enabledProvider(service, chosen)
  if (provider) return provider
  const known = USUAL_ISSUERS[chosen]
  if (!known) throw invalid(`Custom OIDC provider ${JSON.stringify(name)} not allowed`)
  throw badRequest('provider_disabled', `Provider (issuer ${JSON.stringify(known)}) is not enabled`)
}

/** Throws provider_disabled, and validation_failed for one that is unknown or knows no ID tokens. */
async function customProvider(service: AuthService, name: string): Promise<Provider> {
  const found = await findCustom(service, name)
  if (found === 'is disabled') {
    throw badRequest('provider_disabled', `Custom provider ${JSON.stringify(name)} is disabled`)
  }
  if (typeof found === 'string') throw invalid(`Custom provider ${JSON.stringify(name)} ${found}`)
  if (found.definition.kind === 'oidc') return found
  throw invalid(`Provider ${JSON.stringify(name)} is not an OIDC provider`)
}

function issuerOf(service: AuthService, name: string): string | undefined {
  const definition = enabledProvider(service, name)?.definition
  if (!definition) return USUAL_ISSUERS[name]
  return definition.kind === 'oidc' ? definition.issuer : definition.idTokens?.issuer
}
