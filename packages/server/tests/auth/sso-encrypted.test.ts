// Assertions that identity providers encrypt to this server: taken where config.toml switches that on, and held to
// everything that others are held to.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestServer } from '../support/server.ts'
import {
  encrypted,
  identityProvider,
  type Keys,
  newKeys,
  type Ours,
  type Provider,
} from './identity-provider.ts'
import { authServer } from './project.ts'
import { addProvider, come, flowOf, INVALID, oursOf, samlTable, sessionOf } from './sso.ts'

let server: TestServer
let ours: Ours
let keys: Keys
let provider: Provider
let count = 0

const REFUSED = `${INVALID}its encrypted assertion is not accepted`
const RSA_15 = 'http://www.w3.org/2001/04/xmlenc#rsa-1_5'
const AES_256_CBC = 'http://www.w3.org/2001/04/xmlenc#aes256-cbc'
const SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'

beforeAll(async () => {
  ;[server, keys] = await Promise.all([
    authServer({ more: samlTable('allow_encrypted_assertions = true') }),
    newKeys(),
  ])
  ours = await oursOf(server)
})
afterAll(() => server?.stop())
beforeEach(async () => {
  provider = identityProvider(`https://encrypting-${++count}.example.net/saml`, keys)
  await addProvider(server, provider)
})

const errorOf = async (xml: string) => (await come(server, xml)).get('error_description')

test('the metadata name the certificate to encrypt to', () => {
  expect(ours.metadata).toMatch(/<KeyDescriptor use="encryption">/)
})

describe('an encrypted assertion', () => {
  test.each([
    ['AES-GCM', {}],
    ['AES-CBC', { data: AES_256_CBC }],
  ])('by %s signs in, as its signature says', async (_, algorithms) => {
    const xml = await encrypted(provider.answer(ours, { subject: `grace-${count}` }), ours, algorithms)
    expect(xml).not.toContain('grace@example.com')
    const { user } = await sessionOf(server, await come(server, xml))
    expect(user.email).toBe('grace@example.com')
  })

  test('is taken once', async () => {
    const xml = await encrypted(provider.answer(ours), ours)
    expect(await errorOf(xml)).toBeNull()
    expect(await errorOf(xml)).toBe(`${INVALID}it has been used already`)
  })

  test.each([
    ['nobody signed', { sign: 'nothing' as const }, REFUSED],
    ['is for another audience', { audience: 'https://elsewhere.example' }, REFUSED],
    ['is too old', { issued: -30, expires: -20 }, REFUSED],
    [
      'is of another issuer',
      { assertionIssuer: 'https://elsewhere.example' },
      `${INVALID}its assertion is of another Issuer`,
    ],
    ['is signed with SHA-1', { algorithm: SHA1 }, `${INVALID}it is signed with SHA-1`],
  ])('that %s is refused', async (_, contents, words) => {
    expect(await errorOf(await encrypted(provider.answer(ours, contents), ours))).toBe(words)
  })

  test('that a stranger signed is refused, and one that was changed on the way, in the same words', async () => {
    const stranger = identityProvider(provider.entityId, await newKeys())
    expect(await errorOf(await encrypted(stranger.answer(ours), ours))).toBe(REFUSED)
    for (const data of [AES_256_CBC, undefined]) {
      const xml = await encrypted(provider.answer(ours), ours, data ? { data } : {})
      const changed = xml.replace(
        /(<\w+:CipherValue>[^<]{40})(.)([^<]*<\/\w+:CipherValue>)(?!.*CipherValue)/s,
        (_, a, b, c) => `${a}${b === 'A' ? 'B' : 'A'}${c}`,
      )
      expect(changed).not.toBe(xml)
      expect(await errorOf(changed)).toBe(REFUSED)
    }
  })

  test('by RSA of PKCS #1 1.5 is refused before anything is decrypted', async () => {
    const xml = await encrypted(provider.answer(ours), ours, { key: RSA_15 })
    expect(await errorOf(xml)).toBe(
      `${INVALID}its assertion is encrypted by another algorithm than AES with RSA-OAEP`,
    )
  })

  test('to somebody else is refused', async () => {
    const other = await authServer({ more: samlTable('allow_encrypted_assertions = true') })
    try {
      const theirs = { ...ours, metadata: (await oursOf(other)).metadata }
      expect(await errorOf(await encrypted(provider.answer(ours), theirs))).toBe(REFUSED)
    } finally {
      await other.stop()
    }
  })
})

test('where it is not switched on, an encrypted assertion is refused and no certificate is offered', async () => {
  const other = await authServer({ more: samlTable() })
  try {
    const theirs = await oursOf(other)
    expect(theirs.metadata).not.toMatch(/use="encryption"/)
    await addProvider(other, provider)
    const xml = await encrypted(provider.answer(theirs), ours)
    expect((await come(other, xml)).get('error_description')).toBe(
      `${INVALID}its assertion is encrypted, which is not switched on`,
    )
  } finally {
    await other.stop()
  }
})

test('a session ends when the provider says so, also where a code is exchanged for it', async () => {
  const ending = identityProvider(`https://ending-${count}.example.net/saml`, keys)
  const { id } = await addProvider(server, ending)
  const { client, url } = await flowOf(server, { providerId: id })
  const request = await ending.read(url, ours)
  const sessionEnds = new Date(Date.now() + 3_600_000)
  const answer = ending.answer(ours, { inResponseTo: request.id, sessionEnds, subject: 'grace-ending' })
  const back = await come(server, answer, request.relayState)
  const { data, error } = await client.auth.exchangeCodeForSession(back.get('code') as string)
  expect(error).toBeNull()
  const ends = () =>
    server.database.pool.query('select not_after from auth.sessions where user_id = $1', [data.user?.id])
  expect((await ends()).rows).toEqual([{ not_after: sessionEnds }])
  await server.database.pool.query(`update auth.sessions set not_after = now() where user_id = $1`, [
    data.user?.id,
  ])
  expect((await client.auth.refreshSession()).error?.code).toBe('session_expired')
})
