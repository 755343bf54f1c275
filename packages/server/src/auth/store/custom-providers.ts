// Rows of auth.custom_oauth_providers: the providers that administrators set up by the API.
import type { Queryable } from '../../sql/queryable.ts'

export type CustomProviderType = 'oauth2' | 'oidc'

/** The stored fields of a discovery document. */
export type KeptDiscovery = Record<string, string | string[]>

/** Settings by administrators, and the discovery document read for them. */
export type CustomProviderFields = {
  provider_type: CustomProviderType
  /** `custom:<name>`, as clients and identities call it. */
  identifier: string
  name: string
  client_id: string
  /** Sealed (providers/sealed-secrets.ts). */
  client_secret: string
  acceptable_client_ids: string[]
  scopes: string[]
  pkce_enabled: boolean
  /** Claims by the names they are to have: the name of the provider's own claim, or any other value as it stands. */
  attribute_mapping: Record<string, unknown>
  authorization_params: Record<string, string>
  enabled: boolean
  email_optional: boolean
  /** Claims that are copied as they are. */
  custom_claims_allowlist: string[]
  issuer: string | null
  discovery_url: string | null
  skip_nonce_check: boolean
  cached_discovery: KeptDiscovery | null
  authorization_url: string | null
  token_url: string | null
  userinfo_url: string | null
  jwks_uri: string | null
}

export type CustomProvider = CustomProviderFields & { id: string; created_at: Date; updated_at: Date }

export async function findCustomProvider(
  client: Queryable,
  identifier: string,
): Promise<CustomProvider | null> {
  const { rows } = await client.query<CustomProvider>(
    'select * from auth.custom_oauth_providers where identifier = $1',
    [identifier],
  )
  return rows[0] ?? null
}

/** All of them or those of one type, the newest first. */
export async function listCustomProviders(
  client: Queryable,
  type: CustomProviderType | null,
): Promise<CustomProvider[]> {
  const { rows } = await client.query<CustomProvider>(
    `select * from auth.custom_oauth_providers where $1::text is null or provider_type = $1
     order by created_at desc, id`,
    [type],
  )
  return rows
}

/** Throws where the identifier is taken (custom_oauth_providers_identifier_key). */
export async function insertCustomProvider(
  client: Queryable,
  fields: CustomProviderFields,
): Promise<CustomProvider> {
  const columns = Object.entries(fields)
  const { rows } = await client.query<CustomProvider>(
    `insert into auth.custom_oauth_providers (${columns.map(([name]) => name).join(', ')}, discovery_cached_at)
     values (${columns.map((_, index) => `$${index + 1}`).join(', ')}, ${cachedAt(fields)}) returning *`,
    columns.map(([, value]) => asParameter(value)),
  )
  return rows[0] as CustomProvider
}

/** Sets the named fields; null where the provider is missing. */
export async function updateCustomProvider(
  client: Queryable,
  identifier: string,
  changes: Partial<CustomProviderFields>,
): Promise<CustomProvider | null> {
  const columns = Object.entries(changes)
  const cached = changes.cached_discovery ? `, discovery_cached_at = ${cachedAt(changes)}` : ''
  const { rows } = await client.query<CustomProvider>(
    `update auth.custom_oauth_providers set updated_at = now()${cached}
       ${columns.map(([name], index) => `, ${name} = $${index + 2}`).join('')}
     where identifier = $1 returning *`,
    [identifier, ...columns.map(([, value]) => asParameter(value))],
  )
  return rows[0] ?? null
}

/** Whether there was one. Accounts stay, and nobody comes into them by it any more. */
export async function deleteCustomProvider(client: Queryable, identifier: string): Promise<boolean> {
  const { rowCount } = await client.query('delete from auth.custom_oauth_providers where identifier = $1', [
    identifier,
  ])
  return rowCount === 1
}

const cachedAt = ({ cached_discovery: kept }: Partial<CustomProviderFields>) => (kept ? 'now()' : 'null')

/** Lists are arrays of PostgreSQL, objects are jsonb. */
const asParameter = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? JSON.stringify(value) : value

/** GoTrue's JSON of a provider, without its secret. */
export function customProviderJson({
  client_secret: _,
  cached_discovery: discovery,
  ...provider
}: CustomProvider & { discovery_cached_at?: unknown }) {
  const { discovery_cached_at: __, ...shown } = provider
  return {
    ...Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null)),
    ...(provider.provider_type === 'oidc' ? { discovery_document: discovery } : {}),
  }
}
