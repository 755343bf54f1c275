// Rows of auth.sso_providers with what belongs to each: its domains (auth.sso_domains) and its identity provider of
// SAML (auth.saml_providers).
import { randomUUID } from 'node:crypto'
import type { Queryable } from '../../sql/queryable.ts'

/** Where a claim's value comes from: the first of these attributes that has one, else the default. */
type AttributeRule = { name?: string; names?: string[]; default?: unknown; array?: boolean }

/** Claims by their names. */
export type AttributeMapping = { keys?: Record<string, AttributeRule> }

/** A provider as read from the database; times of its parts are texts. */
export type SsoProvider = {
  id: string
  resource_id: string | null
  disabled: boolean | null
  created_at: Date
  updated_at: Date
  domains: { domain: string; created_at: string; updated_at: string }[]
  saml: {
    entity_id: string
    metadata_xml: string
    metadata_url: string | null
    attribute_mapping: AttributeMapping | null
    name_id_format: string | null
    updated_at: string
  }
}

/** An administrator's settings; `domains` are in lower case. */
export type SsoSettings = {
  resourceId: string | null
  disabled: boolean | null
  domains: string[]
  metadataXml: string
  metadataUrl: string | null
  attributeMapping: AttributeMapping
  nameIdFormat: string | null
}

/** How the identities and accounts of a provider are called. */
export const ssoName = ({ id }: { id: string }): string => `sso:${id}`

async function find(client: Queryable, condition: string, values: unknown[]): Promise<SsoProvider[]> {
  const { rows } = await client.query<SsoProvider>(
    `select p.*, to_json(s) as saml, (
       select coalesce(json_agg(d order by d.domain), '[]') from auth.sso_domains d where d.sso_provider_id = p.id
     ) as domains
     from auth.sso_providers p join auth.saml_providers s on s.sso_provider_id = p.id
     where ${condition} order by p.created_at, p.id`,
    values,
  )
  return rows
}

const findOne = async (client: Queryable, condition: string, value: string): Promise<SsoProvider | null> =>
  (await find(client, condition, [value]))[0] ?? null

export const findSsoProvider = (client: Queryable, id: string) => findOne(client, 'p.id = $1', id)

export const findSsoProviderByResource = (client: Queryable, resourceId: string) =>
  findOne(client, 'lower(p.resource_id) = lower($1)', resourceId)

export const findSsoProviderByEntity = (client: Queryable, entityId: string) =>
  findOne(client, 's.entity_id = $1', entityId)

export const findSsoProviderByDomain = (client: Queryable, domain: string) =>
  findOne(
    client,
    'p.id = (select sso_provider_id from auth.sso_domains where lower(domain) = lower($1))',
    domain,
  )

/** All of them, or those whose resource has this id or an id that begins so. */
export function listSsoProviders(
  client: Queryable,
  { resourceId, prefix }: { resourceId: string | null; prefix: string | null },
): Promise<SsoProvider[]> {
  if (resourceId !== null) return find(client, 'p.resource_id = $1', [resourceId])
  if (prefix !== null) return find(client, 'starts_with(p.resource_id, $1)', [prefix])
  return find(client, 'true', [])
}

/** Inserts a provider. Throws where its entity, a domain or its resource has one already. */
export async function insertSsoProvider(
  client: Queryable,
  entityId: string,
  settings: SsoSettings,
): Promise<SsoProvider> {
  const id = randomUUID()
  await client.query(
    `with provider as (
       insert into auth.sso_providers (id, resource_id, disabled, created_at, updated_at)
       values ($1, $2, $3, now(), now())
     )
     insert into auth.saml_providers (id, sso_provider_id, entity_id, metadata_xml, metadata_url, attribute_mapping,
       name_id_format, created_at, updated_at)
     values ($4, $1, $5, $6, $7, $8, $9, now(), now())`,
    [
      ...[id, settings.resourceId, settings.disabled, randomUUID(), entityId],
      ...[settings.metadataXml, settings.metadataUrl],
      ...[JSON.stringify(settings.attributeMapping), settings.nameIdFormat],
    ],
  )
  await setDomains(client, id, settings.domains)
  return reload(client, id)
}

/** Sets everything of a provider but its entity. Throws where a domain or its resource has another one. */
export async function updateSsoProvider(
  client: Queryable,
  id: string,
  settings: SsoSettings,
): Promise<SsoProvider> {
  await client.query(
    `with provider as (
       update auth.sso_providers set resource_id = $2, disabled = $3, updated_at = now() where id = $1
     )
     update auth.saml_providers set metadata_xml = $4, metadata_url = $5, attribute_mapping = $6,
       name_id_format = $7, updated_at = now() where sso_provider_id = $1`,
    [
      ...[id, settings.resourceId, settings.disabled, settings.metadataXml, settings.metadataUrl],
      ...[JSON.stringify(settings.attributeMapping), settings.nameIdFormat],
    ],
  )
  await setDomains(client, id, settings.domains)
  return reload(client, id)
}

/** Stores metadata that was fetched anew. */
export async function storeMetadata(client: Queryable, id: string, xml: string): Promise<void> {
  await client.query(
    'update auth.saml_providers set metadata_xml = $2, updated_at = now() where sso_provider_id = $1',
    [id, xml],
  )
}

export async function deleteSsoProvider(client: Queryable, id: string): Promise<void> {
  await client.query('delete from auth.sso_providers where id = $1', [id])
}

async function setDomains(client: Queryable, id: string, domains: string[]): Promise<void> {
  await client.query(
    'delete from auth.sso_domains where sso_provider_id = $1 and not (lower(domain) = any ($2))',
    [id, domains],
  )
  await client.query(
    `insert into auth.sso_domains (id, sso_provider_id, domain, created_at, updated_at)
     select gen_random_uuid(), $1, domain, now(), now() from unnest($2::text[]) domain
     where not exists (select from auth.sso_domains d where d.sso_provider_id = $1 and lower(d.domain) = domain)`,
    [id, domains],
  )
}

async function reload(client: Queryable, id: string): Promise<SsoProvider> {
  const provider = await findSsoProvider(client, id)
  if (!provider) throw new Error(`SSO provider ${id} no longer exists`)
  return provider
}

/** GoTrue's JSON of a provider; lists leave its metadata out. */
export function ssoProviderJson(provider: SsoProvider, { metadata }: { metadata: boolean }) {
  const { id, resource_id, disabled, saml, domains, created_at, updated_at } = provider
  return {
    id,
    ...(resource_id === null ? {} : { resource_id }),
    disabled,
    saml: {
      entity_id: saml.entity_id,
      ...(metadata ? { metadata_xml: saml.metadata_xml } : {}),
      ...(saml.metadata_url === null ? {} : { metadata_url: saml.metadata_url }),
      attribute_mapping: saml.attribute_mapping ?? {},
      ...(saml.name_id_format === null ? {} : { name_id_format: saml.name_id_format }),
    },
    domains: domains.map((each) => ({
      domain: each.domain,
      created_at: new Date(each.created_at),
      updated_at: new Date(each.updated_at),
    })),
    created_at,
    updated_at,
  }
}
