// GET /oauth/userinfo: what an application may know of the person who gave it leave; /user/oauth/grants: to which applications
// a person has given leave, and taking it back.
import { type Answer, empty, json } from '../../http/answer.ts'
import { invalid, notFound } from '../errors.ts'
import { scopesOf, userInfo } from '../flows/oauth-scopes.ts'
import { findSignedIn } from '../flows/sessions.ts'
import { type AuthRequest, isUuid } from '../route.ts'
import type { AuthService } from '../service.ts'
import { audit } from '../store/audit.ts'
import { listGrants as findGrants, revokeConsent } from '../store/oauth-consents.ts'
import { clientDetails } from './oauth-authorize.ts'

/** A token of no client shows `sub` alone. */
export async function showUserInfo(
  { database }: AuthService,
  { claims }: AuthRequest<null, 'bearer'>,
): Promise<Answer> {
  const { user, session } = await findSignedIn(database.pool, claims)
  return json(userInfo(user, scopesOf(session?.scopes ?? '')))
}

export async function listGrants(
  { database }: AuthService,
  { claims }: AuthRequest<null, 'user'>,
): Promise<Answer> {
  const { user } = await findSignedIn(database.pool, claims)
  const grants = await findGrants(database.pool, user.id)
  return json(
    grants.map(({ scopes, granted_at, ...client }) => ({
      client: clientDetails(client),
      scopes: scopesOf(scopes),
      granted_at,
    })),
  )
}

/** The client's sessions end at once; its access tokens, which other services check for themselves, within the hour. */
export async function revokeGrant(
  { database }: AuthService,
  { claims, query, origin }: AuthRequest<null, 'user'>,
): Promise<Answer> {
  const clientId = query.get('client_id') ?? ''
  return database.transaction(async (client) => {
    const { user } = await findSignedIn(client, claims)
    if (clientId === '') throw invalid('client_id query parameter is required')
    if (!isUuid(clientId)) throw invalid('invalid client_id format')
    if (!(await revokeConsent(client, user.id, clientId))) {
      throw notFound('oauth_consent_not_found', 'No active grant found for this client')
    }
    await audit(client, origin.ip, user, 'token_revoked', {
      oauth_client_id: clientId,
      action: 'revoke_oauth_grant',
    })
    return empty()
  })
}
