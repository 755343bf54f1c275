// Identity providers of single sign-on as administrators set them up, and metadata that is fetched.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import {
  identityProvider,
  type Keys,
  newKeys,
  type Ours,
  PERSISTENT,
  type Provider,
} from './identity-provider.ts'
import { authServer, raw } from './project.ts'
import { addProvider, come, oursOf, samlTable } from './sso.ts'

let server: TestServer
let ours: Ours
let keys: Keys
let provider: Provider
let count = 0

beforeAll(async () => {
  ;[server, keys] = await Promise.all([authServer({ more: samlTable() }), newKeys()])
  ours = await oursOf(server)
})
afterAll(() => server?.stop())
beforeEach(() => {
  provider = identityProvider(`https://idp-${++count}.example.net/saml`, keys)
})

/** Sends an administrator's request. */
const admin = (path: string, method: string, body?: unknown) =>
  raw(server, `/admin/sso/providers${path}`, {
    method,
    headers: { apikey: server.secretKey },
    ...(body === undefined ? {} : { body }),
  })

describe('administrators', () => {
  test('add, list, read, change and remove a provider', async () => {
    const made = await admin('', 'POST', {
      type: 'saml',
      metadata_xml: provider.metadata(),
      domains: ['One.Example.com'],
      attribute_mapping: { keys: { name: { name: 'displayName' } } },
      resource_id: 'one',
    })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({
      resource_id: 'one',
      disabled: null,
      saml: {
        entity_id: provider.entityId,
        metadata_xml: provider.metadata(),
        attribute_mapping: { keys: { name: { name: 'displayName' } } },
      },
      domains: [{ domain: 'one.example.com' }],
    })
    const { id } = made.json
    const listed = await admin('', 'GET')
    const [inList] = (listed.json.items as { id: string; saml: object }[]).filter((each) => each.id === id)
    expect(inList?.saml).not.toHaveProperty('metadata_xml')
    expect((await admin('?resource_id=one', 'GET')).json.items).toHaveLength(1)
    expect((await admin('?resource_id_prefix=on', 'GET')).json.items).toHaveLength(1)
    expect((await admin('?resource_id=two', 'GET')).json.items).toEqual([])
    expect((await admin('/resource_one', 'GET')).json.id).toBe(id)
    expect((await admin('/resource_%00', 'GET')).status).toBe(404)
    expect((await admin('?resource_id=%00', 'GET')).json.items).toEqual([])

    const changed = await admin(`/${id}`, 'PUT', {
      domains: ['two.example.com'],
      name_id_format: PERSISTENT,
      disabled: true,
    })
    expect(changed.json).toMatchObject({
      disabled: true,
      domains: [{ domain: 'two.example.com' }],
      saml: {
        name_id_format: PERSISTENT,
        attribute_mapping: { keys: { name: { name: 'displayName' } } },
      },
    })
    const { error } = await stranger(server).auth.signInWithSSO({ domain: 'two.example.com' })
    expect([error?.status, error?.code]).toEqual([404, 'sso_provider_disabled'])

    expect((await admin(`/${id}`, 'DELETE')).json.id).toBe(id)
    const missing = await admin(`/${id}`, 'GET')
    expect([missing.status, missing.json.error_code]).toEqual([404, 'sso_provider_not_found'])
  })

  test.each([
    ['another type', () => ({ type: 'oidc' }), 400, "Only 'saml' supported for SSO provider type"],
    ['no metadata', () => ({}), 400, 'Either metadata_xml or metadata_url must be set'],
    [
      'two of them',
      () => ({ metadata_xml: 'x', metadata_url: 'https://x' }),
      400,
      'Only one of metadata_xml or metadata_url needs to be set',
    ],
    ['no address', () => ({ metadata_url: 'x' }), 400, 'metadata_url is not a valid URL'],
    [
      'one without HTTPS',
      () => ({ metadata_url: 'http://example.com/' }),
      400,
      'metadata_url is not a HTTPS URL',
    ],
    [
      'a format that there is not',
      () => ({ metadata_xml: provider.metadata(), name_id_format: 'x' }),
      400,
      expect.stringMatching(/^name_id_format must be unspecified or one of urn:/),
    ],
    [
      'no domain',
      () => ({ metadata_xml: provider.metadata(), domains: ['a b'] }),
      400,
      "domains must be names such as example.com, not 'a b'",
    ],
    [
      'no XML',
      () => ({ metadata_xml: '<a>' }),
      400,
      expect.stringMatching(/^SAML Metadata is not valid XML: /),
    ],
    [
      'a document type',
      () => ({
        metadata_xml: `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>${provider.metadata()}`,
      }),
      400,
      'SAML Metadata is not valid XML: a document type is not allowed',
    ],
    [
      'no entity',
      () => ({ metadata_xml: provider.metadata().replace(/entityID="[^"]+"/, '') }),
      400,
      'SAML Metadata does not contain an EntityID',
    ],
    [
      'nobody who signs people in',
      () => ({ metadata_xml: provider.metadata().replaceAll('IDPSSODescriptor', 'SPSSODescriptor') }),
      400,
      'SAML Metadata does not contain any IDPSSODescriptor',
    ],
    [
      'no certificate',
      () => ({ metadata_xml: provider.metadata().replace(/<KeyDescriptor.*KeyDescriptor>/s, '') }),
      400,
      'SAML Metadata does not contain a certificate to sign with',
    ],
    [
      'a broken certificate',
      () => ({ metadata_xml: provider.metadata().replace(/(X509Certificate>).{40}/, '$1') }),
      400,
      'SAML Metadata contains a certificate that cannot be read',
    ],
    [
      'no way to it',
      () => ({ metadata_xml: provider.metadata().replace('HTTP-Redirect', 'SOAP') }),
      400,
      'SAML Metadata does not contain a SingleSignOnService with the HTTP-Redirect binding',
    ],
  ])('are refused %s', async (_what, body, status, message) => {
    const answer = await admin('', 'POST', { type: 'saml', ...body() })
    expect([answer.status, answer.json.error_code, answer.json.msg]).toEqual([
      status,
      'validation_failed',
      message,
    ])
  })

  test('are refused what another provider has', async () => {
    const other = identityProvider(`https://other-${count}.example.net`, keys)
    const [first, second] = [
      await addProvider(server, provider, { domains: ['first.example.com'], resource_id: 'first' }),
      await addProvider(server, other, { domains: ['second.example.com'] }),
    ]
    const refused = async (path: string, method: string, body: object) => {
      const { status, json } = await admin(path, method, { type: 'saml', ...body })
      return [status, json.error_code]
    }
    const same = { metadata_xml: provider.metadata() }
    expect(await refused('', 'POST', same)).toEqual([422, 'saml_idp_already_exists'])
    expect(await refused(`/${second.id}`, 'PUT', same)).toEqual([400, 'saml_entity_id_mismatch'])
    const taken = { domains: ['FIRST.example.com'] }
    expect(await refused(`/${second.id}`, 'PUT', taken)).toEqual([400, 'sso_domain_already_exists'])
    expect(await refused(`/${second.id}`, 'PUT', { resource_id: 'first' })).toEqual([422, 'conflict'])
    expect(await refused(`/${first.id}`, 'PUT', taken)).toEqual([200, undefined])
  })
})

describe('metadata that has an address', () => {
  let site: Server
  let answer: (write: (status: number, body: string) => void) => void
  let address: string
  let asked = 0

  beforeAll(async () => {
    site = createServer((_request, response) => {
      asked++
      answer((status, body) => response.writeHead(status, { location: '/elsewhere' }).end(body))
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/metadata`
  })
  afterAll(() => new Promise((resolve) => site?.close(resolve)))

  const add = () => admin('', 'POST', { type: 'saml', metadata_url: address })

  test('is fetched, and again when it is stale', async () => {
    answer = (write) => write(200, provider.metadata('cacheDuration="PT1H"'))
    const { json } = await add()
    expect(json.saml).toMatchObject({ entity_id: provider.entityId, metadata_url: address })
    // Its keys are changed an hour later.
    const renewed = identityProvider(provider.entityId, await newKeys())
    answer = (write) => write(200, renewed.metadata())
    const { pool } = server.database
    const early = await come(server, renewed.answer(ours))
    expect(early.get('error_description')).toBe('SAML Assertion is not valid: Invalid signature')
    await pool.query(`update auth.saml_providers set updated_at = now() - interval '61 minutes'`)
    expect((await come(server, renewed.answer(ours))).get('access_token')).toBeTruthy()
    // Missing metadata, or metadata of another provider, changes nothing.
    await pool.query(`update auth.saml_providers set updated_at = now() - interval '25 hours'`)
    const others = ['<a/>', provider.metadata().replaceAll(provider.entityId, 'https://evil.example.net')]
    for (const instead of others) {
      answer = (write) => write(200, instead)
      await pool.query('delete from auth.rate_limits')
      expect((await come(server, renewed.answer(ours))).get('access_token')).toBeTruthy()
    }
    // Nor can strangers have it fetched again and again.
    const before = asked
    await come(server, renewed.answer(ours, { sign: 'nothing' }))
    expect(asked).toBe(before)
  })

  test.each([
    ['is missing', 404, '', 'HTTP 404 error'],
    ['is elsewhere', 302, '', 'HTTP 302 error'],
    ['is endless', 200, ' '.repeat(2 * 1024 * 1024), 'More than 1048576 bytes'],
  ])('%s', async (_what, status, body, message) => {
    answer = (write) => write(status, body)
    const { json } = await add()
    expect([json.error_code, json.msg]).toEqual([
      'saml_metadata_fetch_failed',
      `${message} fetching SAML Metadata from URL '${address}'`,
    ])
  })

  test('cannot be reached', async () => {
    const { json } = await admin('', 'POST', { type: 'saml', metadata_url: 'http://127.0.0.1:1/' })
    expect(json.error_code).toBe('saml_metadata_fetch_failed')
  })
})
