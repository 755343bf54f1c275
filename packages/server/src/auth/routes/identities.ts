// /user/identities: the ways in which a person signs in, given up one at a time; another one is begun at a provider.
import { type Answer, json, redirectFound } from '../../http/answer.ts'
import { notifyByEmail } from '../emails/send.ts'
import { notFound, unprocessable } from '../errors.ts'
import { requireSecondFactor } from '../flows/factors.ts'
import { keepAddressOfIdentities } from '../flows/linked-identities.ts'
import { requireRecentSignIn } from '../flows/reauthentication.ts'
import { findSignedIn } from '../flows/sessions.ts'
import { type AuthRequest, isUuid } from '../route.ts'
import type { AuthService } from '../service.ts'
import { audit } from '../store/audit.ts'
import { deleteIdentity, syncProviders } from '../store/identities.ts'
import { updateUser } from '../store/users.ts'
import { begin } from './authorize.ts'

/** Throws manual_linking_disabled unless config.toml allows it. */
function requireManualLinking({ settings }: AuthService): void {
  if (!settings.enable_manual_linking) throw notFound('manual_linking_disabled', 'Manual linking is disabled')
}

/** Answers where to go to add a provider's identity to the account. Throws what `authorize` throws of the provider. */
export async function linkIdentity(
  service: AuthService,
  { query, claims, origin }: AuthRequest<null, 'user'>,
): Promise<Answer> {
  const { user, session } = await findSignedIn(service.database.pool, claims)
  requireManualLinking(service)
  requireSecondFactor(user, session, 'identities')
  await requireRecentSignIn(service.database.pool, service, user, session)
  const { url, headers } = await begin(service, query, origin, {
    userId: user.id,
    sessionId: session?.id ?? null,
  })
  return query.get('skip_http_redirect') === 'true'
    ? json({ url }, 200, headers)
    : redirectFound(url, headers)
}

/**
 * Removes an identity, and the address that no other has. Throws single_identity_not_deletable, identity_not_found,
 * email_conflict_identity_not_deletable.
 */
export async function unlinkIdentity(
  service: AuthService,
  { claims, origin, params }: AuthRequest<null, 'user'>,
): Promise<Answer> {
  const { id = '' } = params
  return service.database.transaction(async (client) => {
    const { user, session } = await findSignedIn(client, claims, { lock: true })
    requireManualLinking(service)
    requireSecondFactor(user, session, 'identities')
    await requireRecentSignIn(client, service, user, session)
    if (!isUuid(id)) throw notFound('validation_failed', 'identity_id must be an UUID')
    if (user.identities.length <= 1) {
      throw unprocessable(
        'single_identity_not_deletable',
        'User must have at least 1 identity after unlinking',
      )
    }
    const identity = user.identities.find((one) => one.id === id.toLowerCase())
    if (!identity) throw unprocessable('identity_not_found', "Identity doesn't exist")
    const { provider, provider_id: providerId } = identity
    await audit(client, origin.ip, user, 'identity_unlinked', {
      identity_id: identity.id,
      provider,
      provider_id: providerId,
    })
    await deleteIdentity(client, identity.id)
    if (provider === 'phone') await updateUser(client, user.id, { phone: null, phone_confirmed_at: null })
    else await keepAddressOfIdentities(client, user.id)
    await syncProviders(client, user.id)
    await notifyByEmail(client, service, user, 'identity_unlinked', { provider, ip: origin.ip })
    return json({})
  })
}
