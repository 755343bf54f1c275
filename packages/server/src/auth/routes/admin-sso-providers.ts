// /admin/sso/providers: the identity providers of single sign-on as administrators set them up. A provider is named by
// its id, or by `resource_` and its resource's.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import type { Queryable } from '../../sql/queryable.ts'
import { object, text } from '../body.ts'
import { badRequest, invalid, isDuplicate, notFound, unprocessable } from '../errors.ts'
import { fetchMetadata, type IdentityProvider, readMetadata } from '../flows/saml-metadata.ts'
import { NAME_ID_FORMATS, requireSaml } from '../flows/saml-service-provider.ts'
import { type AuthRequest, isUuid } from '../route.ts'
import type { AuthService } from '../service.ts'
import {
  type AttributeMapping,
  deleteSsoProvider,
  findSsoProvider,
  findSsoProviderByDomain,
  findSsoProviderByEntity,
  findSsoProviderByResource,
  insertSsoProvider,
  listSsoProviders,
  type SsoProvider,
  type SsoSettings,
  ssoProviderJson,
  updateSsoProvider,
} from '../store/sso-providers.ts'

const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

const attributeRule = z.object({
  name: z.string().optional(),
  names: z.array(z.string()).optional(),
  default: z.unknown().optional(),
  array: z.boolean().optional(),
})

export const ssoProviderBody = z.object({
  type: text,
  metadata_url: text,
  metadata_xml: text,
  domains: z.array(z.string()).nullish(),
  attribute_mapping: object.pipe(
    z.object({ keys: z.record(z.string(), attributeRule).nullish() }).nullable(),
  ),
  name_id_format: z.string().nullish(),
  resource_id: z.string().nullish(),
  disabled: z.boolean().nullish(),
})

type Body = z.output<typeof ssoProviderBody>

export async function listProviders(service: AuthService, { query }: AuthRequest): Promise<Answer> {
  requireSaml(service)
  // No resource has such an id, and PostgreSQL takes no such text.
  if (/\0/.test(`${query.get('resource_id')}${query.get('resource_id_prefix')}`)) return json({ items: [] })
  const providers = await listSsoProviders(service.database.pool, {
    resourceId: query.get('resource_id') || null,
    prefix: query.get('resource_id_prefix') || null,
  })
  return json({ items: providers.map((provider) => ssoProviderJson(provider, { metadata: false })) })
}

export async function getProvider(service: AuthService, { params }: AuthRequest): Promise<Answer> {
  requireSaml(service)
  return json(ssoProviderJson(await findProvider(service.database.pool, params.id), { metadata: true }))
}

/** Throws validation_failed, saml_metadata_fetch_failed, saml_idp_already_exists, sso_domain_already_exists, conflict. */
export async function createProvider(service: AuthService, { body }: AuthRequest<Body>): Promise<Answer> {
  requireSaml(service)
  if (body.type !== 'saml') throw invalid("Only 'saml' supported for SSO provider type")
  if (body.metadata_url === '' && body.metadata_xml === '') {
    throw invalid('Either metadata_xml or metadata_url must be set')
  }
  const { entityId, ...settings } = await settingsOf(body, null)
  const provider = await writing(service, null, entityId, settings, (client) =>
    insertSsoProvider(client, entityId, settings),
  )
  return json(ssoProviderJson(provider, { metadata: true }), 201)
}

/** Changes what the body names and keeps the rest. Throws what `createProvider` throws, and saml_entity_id_mismatch. */
export async function changeProvider(
  service: AuthService,
  { body, params }: AuthRequest<Body>,
): Promise<Answer> {
  requireSaml(service)
  const known = await findProvider(service.database.pool, params.id)
  const { entityId, ...settings } = await settingsOf(body, known)
  if (entityId !== known.saml.entity_id) {
    throw badRequest(
      'saml_entity_id_mismatch',
      `SAML Metadata can be updated only if the EntityID matches for the provider; expected '${known.saml.entity_id}' but got '${entityId}'`,
    )
  }
  const provider = await writing(service, known.id, entityId, settings, (client) =>
    updateSsoProvider(client, known.id, settings),
  )
  return json(ssoProviderJson(provider, { metadata: true }))
}

/** Answers the provider as it was. Accounts stay, and nobody comes into them by it any more. */
export async function deleteProvider(service: AuthService, { params }: AuthRequest): Promise<Answer> {
  requireSaml(service)
  const provider = await findProvider(service.database.pool, params.id)
  await deleteSsoProvider(service.database.pool, provider.id)
  return json(ssoProviderJson(provider, { metadata: true }))
}

/** Throws sso_provider_not_found. */
async function findProvider(client: Queryable, name = ''): Promise<SsoProvider> {
  const resource = /^resource_([^\0]+)$/.exec(name)?.[1]
  const found = resource
    ? await findSsoProviderByResource(client, resource)
    : isUuid(name) && (await findSsoProvider(client, name))
  if (!found) throw notFound('sso_provider_not_found', 'SSO Identity Provider not found')
  return found
}

/** The provider's new settings: those in the body, otherwise those of `known`. Throws validation_failed. */
async function settingsOf(
  body: Body,
  known: SsoProvider | null,
): Promise<SsoSettings & { entityId: string }> {
  if (body.metadata_url !== '' && body.metadata_xml !== '') {
    throw invalid('Only one of metadata_xml or metadata_url needs to be set')
  }
  const format = body.name_id_format ?? known?.saml.name_id_format ?? ''
  if (format !== '' && !NAME_ID_FORMATS.includes(format)) {
    throw invalid(`name_id_format must be unspecified or one of ${NAME_ID_FORMATS.join(', ')}`)
  }
  const domains = (body.domains ?? known?.domains.map(({ domain }) => domain) ?? []).map((domain) =>
    domain.trim().toLowerCase(),
  )
  const wrong = domains.find((domain) => domain.length > 253 || !DOMAIN.test(domain))
  if (wrong !== undefined) throw invalid(`domains must be names such as example.com, not '${wrong}'`)
  const metadata = await metadataOf(body)
  const read: IdentityProvider | null = metadata === null ? null : readMetadata(metadata)
  return {
    entityId: read?.entityId ?? known?.saml.entity_id ?? '',
    resourceId: (body.resource_id ?? known?.resource_id) || null,
    disabled: body.disabled ?? known?.disabled ?? null,
    domains: [...new Set(domains)],
    metadataXml: metadata ?? known?.saml.metadata_xml ?? '',
    // Whoever hands metadata in does not want it replaced by what another address has.
    metadataUrl: body.metadata_url || (metadata === null && known?.saml.metadata_url) || null,
    attributeMapping: body.attribute_mapping?.keys
      ? (body.attribute_mapping as AttributeMapping)
      : (known?.saml.attribute_mapping ?? {}),
    nameIdFormat: format || null,
  }
}

async function metadataOf({ metadata_xml: xml, metadata_url: url }: Body): Promise<string | null> {
  if (xml !== '') return xml
  return url === '' ? null : fetchMetadata(url)
}

/** Writes in a transaction, with GoTrue's words for what another provider has already. */
async function writing(
  { database }: AuthService,
  id: string | null,
  entityId: string,
  { domains }: SsoSettings,
  write: (client: Queryable) => Promise<SsoProvider>,
): Promise<SsoProvider> {
  await refuseTaken(database.pool, id, entityId, domains)
  try {
    return await database.transaction(write)
  } catch (error) {
    if (isDuplicate(error, 'sso_providers_resource_id_idx')) {
      throw unprocessable('conflict', 'resource_id is that of another SSO provider')
    }
    // Another request was faster.
    await refuseTaken(database.pool, id, entityId, domains)
    throw error
  }
}

async function refuseTaken(
  client: Queryable,
  id: string | null,
  entityId: string,
  domains: string[],
): Promise<void> {
  const same = await findSsoProviderByEntity(client, entityId)
  if (same && same.id !== id) {
    throw unprocessable(
      'saml_idp_already_exists',
      `SAML Identity Provider with this EntityID (${entityId}) already exists`,
    )
  }
  for (const domain of domains) {
    const other = await findSsoProviderByDomain(client, domain)
    if (!other || other.id === id) continue
    throw badRequest(
      'sso_domain_already_exists',
      id === null
        ? `SSO Domain '${domain}' is already assigned to an SSO identity provider (${other.id})`
        : `SSO domain '${domain}' already assigned to another provider (${other.id})`,
    )
  }
}
