// /admin/oauth/clients, and POST /oauth/clients/register: applications that people may sign in to with their account.
import { z } from 'zod'
import { type Answer, empty, json } from '../../http/answer.ts'
import { text } from '../body.ts'
import { forbidden, invalid, notFound } from '../errors.ts'
import { makeSecret, type Registration, readChanges, readRegistration } from '../flows/oauth-clients.ts'
import { pageLinks, readPage } from '../paging.ts'
import { type AuthRequest, isUuid } from '../route.ts'
import type { AuthService } from '../service.ts'
import {
  deleteClient,
  findClient,
  insertClient,
  listClients,
  type OAuthClient,
  updateClient,
} from '../store/oauth-clients.ts'

const list = z.array(z.string()).nullish()
const descriptions = {
  redirect_uris: list,
  grant_types: list,
  client_name: z.string().nullish(),
  client_uri: z.string().nullish(),
  logo_uri: z.string().nullish(),
}
export const registrationBody = z.object({
  ...descriptions,
  client_type: text,
  token_endpoint_auth_method: text,
})
export const clientBody = z.object(descriptions)

type Registering = AuthRequest<z.output<typeof registrationBody>>

/** Throws validation_failed. */
export const registerClient = (service: AuthService, { body }: Registering): Promise<Answer> =>
  register(service, body, 'manual')

/** RFC 7591. Throws oauth_dynamic_client_registration_disabled, validation_failed. */
export async function registerDynamically(service: AuthService, { body }: Registering): Promise<Answer> {
  if (!service.settings.oauth_server.allow_dynamic_registration) {
    throw forbidden(
      'oauth_dynamic_client_registration_disabled',
      'Dynamic client registration is not enabled',
    )
  }
  return register(service, body, 'dynamic')
}

async function register(
  { database }: AuthService,
  given: Registration,
  type: OAuthClient['registration_type'],
): Promise<Answer> {
  const fields = readRegistration(given, type)
  if (fields.client_type === 'public') {
    return json(clientJson(await insertClient(database.pool, fields)), 201)
  }
  const { secret, hash } = makeSecret()
  const client = await insertClient(database.pool, { ...fields, client_secret_hash: hash })
  return json(clientJson(client, secret), 201)
}

const PATH = '/auth/v1/admin/oauth/clients'

export async function listAllClients({ database }: AuthService, { query }: AuthRequest): Promise<Answer> {
  const { page, perPage } = readPage(query)
  const { clients, total } = await listClients(database.pool, { page, perPage })
  const last = Math.max(Math.ceil(total / perPage), 1)
  return json({ clients: clients.map((client) => clientJson(client)) }, 200, {
    'x-total-count': String(total),
    link: pageLinks(PATH, query, page, last),
  })
}

export async function getClient({ database }: AuthService, { params }: AuthRequest): Promise<Answer> {
  return json(clientJson(await load(database.pool, params.id)))
}

export async function changeClient(
  { database }: AuthService,
  { params, body }: AuthRequest<z.output<typeof clientBody>>,
): Promise<Answer> {
  const { id } = await load(database.pool, params.id)
  return json(clientJson(await updateClient(database.pool, id, readChanges(body))))
}

/** With the client ends all that people gave it. */
export async function removeClient({ database }: AuthService, { params }: AuthRequest): Promise<Answer> {
  return database.transaction(async (client) => {
    await deleteClient(client, (await load(client, params.id)).id)
    return empty()
  })
}

/** The former secret is void at once. */
export async function regenerateSecret({ database }: AuthService, { params }: AuthRequest): Promise<Answer> {
  const found = await load(database.pool, params.id)
  if (found.client_type === 'public') throw invalid('Cannot regenerate secret for public client')
  const { secret, hash } = makeSecret()
  return json(clientJson(await updateClient(database.pool, found.id, { client_secret_hash: hash }), secret))
}

async function load(client: Parameters<typeof findClient>[0], id = ''): Promise<OAuthClient> {
  if (!isUuid(id)) throw invalid('invalid client_id format')
  const found = await findClient(client, id)
  if (!found) throw notFound('oauth_client_not_found', 'OAuth client not found')
  return found
}

/** GoTrue's JSON of a client; `secret` is shown when it was made. */
function clientJson({ id, client_secret_hash: _, ...client }: OAuthClient, secret?: string) {
  const { client_name, client_uri, logo_uri, ...rest } = client
  return {
    client_id: id,
    // RFC 7591 has both together; 0 stands for never.
    ...(secret ? { client_secret: secret, client_secret_expires_at: 0 } : {}),
    ...rest,
    response_types: ['code'],
    ...(client_name ? { client_name } : {}),
    ...(client_uri ? { client_uri } : {}),
    ...(logo_uri ? { logo_uri } : {}),
  }
}
