// Shared by tests of single sign-on: the server's settings, its endpoint as providers know it, and the way back from
// one.
import { generateKeyPairSync } from 'node:crypto'
import type { User } from '@supabase/supabase-js'
import { createClient } from '@supabase/supabase-js'
import { expect } from 'vitest'
import WebSocket from 'ws'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import type { Ours, Provider } from './identity-provider.ts'
import { raw } from './project.ts'

/** The table of config.toml, with its own key. */
export function samlTable(more = ''): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = privateKey.export({ format: 'der', type: 'pkcs1' }).toString('base64')
  return `[auth.saml]\nenabled = true\nprivate_key = "${key}"\nrate_limit_assertion = 100000\n${more}\n`
}

/** Our end, as an administrator hands it to a provider. */
export async function oursOf(server: TestServer): Promise<Ours> {
  const entityId = `${server.url}/auth/v1/sso/saml/metadata`
  const metadata = await (await fetch(entityId)).text()
  return { metadata, entityId, acsUrl: `${server.url}/auth/v1/sso/saml/acs` }
}

/** Sets a provider up, and answers it. */
export async function addProvider(server: TestServer, provider: Provider, more: object = {}) {
  const { status, json } = await raw(server, '/admin/sso/providers', {
    headers: { apikey: server.secretKey },
    body: { type: 'saml', metadata_xml: provider.metadata(), ...more },
  })
  if (status !== 201) throw new Error(JSON.stringify(json))
  return json as { id: string }
}

/** Begins a sign-in with PKCE, and answers the client that keeps its verifier. */
export async function flowOf(server: TestServer, by: { providerId: string }) {
  const kept = new Map<string, string>()
  const client = createClient(server.url, server.publishableKey, {
    auth: {
      flowType: 'pkce',
      autoRefreshToken: false,
      storage: {
        getItem: (name) => kept.get(name) ?? null,
        setItem: (name, value) => void kept.set(name, value),
        removeItem: (name) => void kept.delete(name),
      },
    },
    realtime: { transport: WebSocket as never },
  })
  const { data, error } = await client.auth.signInWithSSO(by)
  if (error) throw error
  return { client, url: data.url }
}

/** Where a browser goes that posts an answer, and what query and fragment bring along. */
export class Arrival extends URLSearchParams {
  target = ''
}

/** Posts an answer as the provider's page has the browser do. */
export async function come(server: TestServer, xml: string, relayState = ''): Promise<Arrival> {
  const response = await fetch(`${server.url}/auth/v1/sso/saml/acs`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({
      SAMLResponse: Buffer.from(xml).toString('base64'),
      RelayState: relayState,
    }),
  })
  const location = new URL(response.headers.get('location') ?? `about:${response.status}`)
  const arrival = new Arrival(location.search || location.hash.slice(1))
  arrival.target = location.href.replace(/[?#].*$/s, '').replace(/(?<=\d)\/$/, '')
  return arrival
}

/** The person whom an arrival signs in. */
export async function sessionOf(server: TestServer, arrival: Arrival) {
  const client = stranger(server)
  const { data, error } = await client.auth.setSession({
    access_token: arrival.get('access_token') ?? '',
    refresh_token: arrival.get('refresh_token') ?? '',
  })
  if (error) throw new Error(`${error.message}: ${arrival}`)
  const { data: read } = await client.auth.getClaims(arrival.get('access_token') ?? '')
  return { client, user: data.user as User, claims: read?.claims as Record<string, unknown> }
}

/** The beginning of every rejected assertion's error. */
export const INVALID = 'SAML Assertion is not valid: '

/** The error for an answer; throws if it creates an account or signs somebody in. */
export async function refusalAt(server: TestServer, xml: string, relayState: string): Promise<string> {
  const counted = async () => {
    const { rows } = await server.database.pool.query(
      'select (select count(*) from auth.users)::int as users, (select count(*) from auth.sessions)::int as sessions',
    )
    return rows[0]
  }
  const before = await counted()
  const arrival = await come(server, xml, relayState)
  expect(await counted()).toEqual(before)
  expect(arrival.get('access_token') ?? arrival.get('code')).toBeNull()
  expect(arrival.target).toBe(server.services.config.auth.site_url)
  return arrival.get('error_description') ?? ''
}
