// Attacks on an identity provider's answer: each is rejected, and signs nobody in.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestServer } from '../support/server.ts'
import {
  type Contents,
  identityProvider,
  type Keys,
  newKeys,
  type Ours,
  type Provider,
} from './identity-provider.ts'
import { authServer, raw } from './project.ts'
import { addProvider, come, flowOf, INVALID, oursOf, refusalAt, samlTable } from './sso.ts'

let server: TestServer
let ours: Ours
let provider: Provider
let hostile: Provider
let providerId: string
let strangers: Keys

beforeAll(async () => {
  const [started, keys, hostileKeys, otherKeys] = await Promise.all([
    authServer({ more: samlTable() }),
    newKeys(),
    newKeys(),
    newKeys(),
  ])
  server = started
  strangers = otherKeys
  ours = await oursOf(server)
  provider = identityProvider('https://idp.example.net/saml', keys)
  hostile = identityProvider('https://hostile.example.net/saml', hostileKeys)
  providerId = (await addProvider(server, provider)).id
  await addProvider(server, hostile)
})
afterAll(() => server?.stop())

const refusalOf = (xml: string, relayState = '') => refusalAt(server, xml, relayState)

/** A request of ours as its provider reads it. */
async function request() {
  const { url } = await flowOf(server, { providerId })
  return provider.read(url, ours)
}

test('an honest answer signs in, so that every refusal below is for what was changed', async () => {
  const { id, relayState } = await request()
  const back = await come(server, provider.answer(ours, { inResponseTo: id }), relayState)
  expect(back.get('code')).toBeTruthy()
  expect((await come(server, provider.answer(ours))).get('access_token')).toBeTruthy()
})

describe('an answer that begins nowhere', () => {
  const changed: [string, Contents, string][] = [
    ['without a signature', { sign: 'nothing' }, 'Invalid signature'],
    ['for another audience', { audience: 'https://app.example.org' }, 'SAML assertion audience mismatch'],
    [
      'for another recipient',
      { recipient: 'https://app.example.org/acs' },
      'its assertion is for another recipient, request or time',
    ],
    [
      'for another destination',
      { destination: 'https://app.example.org/acs' },
      'it is for another Destination',
    ],
    [
      'of another issuer inside',
      { assertionIssuer: 'https://x.example.net' },
      'its assertion is of another Issuer',
    ],
    ['too old', { issued: -9, expires: 60 }, 'SAML assertion expired: assertion too old'],
    ['over', { expires: -4 }, 'SAML assertion expired: clocks skewed too much'],
    ['of the future', { issued: 10, expires: 60 }, 'SAML assertion not yet valid'],
    ['in answer to a request', { inResponseTo: '_a' }, 'its InResponseTo is not our request'],
    [
      'in answer to a request, as it says inside',
      { confirmedInResponseTo: '_a' },
      'its assertion is for another recipient, request or time',
    ],
    ['that says that it failed', { status: 'AuthnFailed' }, 'its status is not Success'],
    [
      'signed with SHA-1',
      { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' },
      'it is signed with SHA-1',
    ],
  ]
  test.each(changed)('%s', async (_what, contents, why) => {
    expect(await refusalOf(provider.answer(ours, contents))).toContain(INVALID + why)
    if (contents.sign === 'nothing') return
    expect(await refusalOf(provider.answer(ours, { ...contents, sign: 'response' }))).toContain(INVALID)
  })

  test('signed with a key that is nobody’s, or another provider’s', async () => {
    const key = strangers.key
    expect(await refusalOf(provider.answer(ours, { key }))).toBe(`${INVALID}Invalid signature`)
    expect(await refusalOf(provider.answer(ours, { key: hostile.key }))).toBe(`${INVALID}Invalid signature`)
    const posing = hostile.answer(ours, { assertionIssuer: provider.entityId })
    expect(await refusalOf(posing)).toBe(`${INVALID}its assertion is of another Issuer`)
    const unknown = identityProvider('https://unknown.example.net', strangers)
    expect(await refusalOf(unknown.answer(ours))).toBe(
      'A SAML connection has not been established with this Identity Provider',
    )
  })

  test('used a second time, also at the same moment', async () => {
    const answer = provider.answer(ours)
    const both = await Promise.all([come(server, answer), come(server, answer)])
    const used = `${INVALID}it has been used already`
    expect(both.filter((arrival) => arrival.get('access_token'))).toHaveLength(1)
    expect(both.filter((arrival) => arrival.get('error_description') === used)).toHaveLength(1)
    expect(await refusalOf(answer)).toBe(used)
  })

  test('without its signature, or with changed words', async () => {
    const answer = provider.answer(ours, { email: 'sam@example.com' })
    expect(await refusalOf(answer.replace(/<ds:Signature.*<\/ds:Signature>/s, ''))).toBe(
      `${INVALID}Invalid signature`,
    )
    expect(await refusalOf(answer.replace('>sam@example.com<', '>ada@example.com<'))).toBe(
      `${INVALID}Invalid signature`,
    )
  })
})

describe('a signature is wrapped', () => {
  let signed: string
  let assertion: string
  let forged: string

  beforeEach(() => {
    signed = provider.answer(ours, { subject: 'sam-1', email: 'sam@example.com' })
    assertion = /<saml:Assertion.*<\/saml:Assertion>/s.exec(signed)?.[0] as string
    forged = assertion
      .replace(/<ds:Signature.*<\/ds:Signature>/s, '')
      .replaceAll('sam-1', 'ada-1')
      .replaceAll('sam@', 'ada@')
  })

  const signature = () => /<ds:Signature.*<\/ds:Signature>/s.exec(assertion)?.[0] as string
  const withId = (xml: string, id: string) => xml.replace(/ ID="[^"]+"/, ` ID="${id}"`)

  const wrappings: [string, () => string][] = [
    ['the forged assertion before the signed one', () => signed.replace(assertion, forged + assertion)],
    ['the forged assertion after the signed one', () => signed.replace(assertion, assertion + forged)],
    [
      'the forged assertion with another ID before the signed one',
      () => signed.replace(assertion, withId(forged, '_forged') + assertion),
    ],
    [
      'the signed one within extensions, the forged one in its place',
      () =>
        signed
          .replace(assertion, withId(forged, '_forged'))
          .replace('<samlp:Status>', `<samlp:Extensions>${assertion}</samlp:Extensions><samlp:Status>`),
    ],
    [
      'the signed one within the signature of the forged one',
      () =>
        signed.replace(
          assertion,
          withId(forged, '_forged').replace(
            '<saml:Subject>',
            `${signature().replace('</ds:Signature>', `<ds:Object>${assertion}</ds:Object></ds:Signature>`)}<saml:Subject>`,
          ),
        ),
    ],
    [
      'the signed one within the subject of the forged one',
      () =>
        signed.replace(
          assertion,
          withId(forged, '_forged').replace('</saml:Subject>', `${assertion}</saml:Subject>`),
        ),
    ],
    [
      'the signature moved to the forged one, which has the ID of the signed one',
      () =>
        signed
          .replace(assertion, forged.replace('<saml:Subject>', `${signature()}<saml:Subject>`))
          .replace('<samlp:Status>', `<samlp:Extensions>${assertion}</samlp:Extensions><samlp:Status>`),
    ],
    [
      'the signed answer within its signature, which stands in a forged one',
      () => {
        const whole = provider.answer(ours, { sign: 'response', subject: 'sam-1', email: 'sam@example.com' })
        const moved = /<ds:Signature.*<\/ds:Signature>/s.exec(whole)?.[0] as string
        const around = moved.replace(
          '</ds:Signature>',
          `<ds:Object>${whole.replace(moved, '')}</ds:Object></ds:Signature>`,
        )
        return withId(whole, '_outer')
          .replaceAll('sam-1', 'ada-1')
          .replaceAll('sam@', 'ada@')
          .replace(moved, around)
      },
    ],
    [
      'the signed answer within the extensions of a forged one',
      () => {
        const whole = provider.answer(ours, { sign: 'response', subject: 'sam-1', email: 'sam@example.com' })
        return signed
          .replace(assertion, withId(forged, '_forged'))
          .replace(/(<samlp:Response [^>]*?) ID="[^"]+"/, '$1 ID="_outer"')
          .replace('<samlp:Status>', `<samlp:Extensions>${whole}</samlp:Extensions><samlp:Status>`)
      },
    ],
  ]
  test.each(wrappings)('%s', async (_what, wrap) => {
    const xml = wrap()
    expect(xml).toContain('ada@example.com')
    expect(await refusalOf(xml)).toContain(`${INVALID}Invalid signature`)
  })

  test('a second digest, which one reader sees and another does not', async () => {
    const xml = signed.replace(/(<ds:DigestValue>)/, '$1AAAA<!---->')
    expect(await refusalOf(xml)).toContain('comments')
  })
})

describe('XML that is made for its reader', () => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>`
  const edits: [string, (xml: string) => string][] = [
    ['a document type with entities', (xml) => bomb + xml.replace('grace@', '&b;@')],
    [
      'a file of the server',
      (xml) => `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>${xml.replace('grace@', '&f;@')}`,
    ],
    ['a comment in the name', (xml) => xml.replace('>grace-1<', '>ada-1<!---->grace-1<')],
    ['a comment in the address', (xml) => xml.replace('>grace@', '>ada@example.com<!---->.grace@')],
    ['CDATA', (xml) => xml.replace('>grace-1<', '><![CDATA[ada-1]]><')],
    ['an instruction', (xml) => xml.replace('>grace-1<', '><?x y?>grace-1<')],
  ]
  test.each(edits)('%s', async (_what, edit) => {
    expect(await refusalOf(edit(provider.answer(ours)))).toContain(
      'document types, comments, instructions and CDATA are not allowed',
    )
  })

  const many = (count: number, text: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => text(index)).join('')
  const laborious: [string, string, string][] = [
    ['too deep', many(100, () => '<a>'), 'it is nested deeper than 64 levels'],
    ['too many elements', '<a b="/>"/>'.repeat(6000), 'it has more than 5000 elements'],
    [
      'too many namespaces',
      many(65, (index) => `<a xmlns:n${index}="x"/>`),
      'it has more than 64 namespaces',
    ],
    ['too long', ' '.repeat(300_000), 'it is longer than 262144 characters'],
  ]
  test('a name with a character that cannot be stored', async () => {
    const xml = provider.answer(ours).replaceAll('</saml:Issuer>', '&#x00;</saml:Issuer>')
    expect(await refusalOf(xml)).toBe(`${INVALID}its XML is refused: NUL is no character of XML`)
  })

  test.each(laborious)('%s', async (_what, part, why) => {
    const xml = provider.answer(ours).replace('<samlp:Status>', `${part}<samlp:Status>`)
    expect(await refusalOf(xml)).toBe(`${INVALID}its XML is refused: ${why}`)
  })

  test('a name with a comment that the provider itself signed', async () => {
    const answer = provider.answer(ours, { subject: 'ada-1<!---->.sam', email: 'sam@example.com' })
    const back = await come(server, answer)
    expect(back.get('access_token')).toBeTruthy()
    const { rows } = await server.database.pool.query(
      `select provider_id from auth.identities where email = 'sam@example.com'`,
    )
    expect(rows).toEqual([{ provider_id: 'ada-1<!---->.sam' }])
  })

  test.each(['', 'x', '%%%', '<a', 'PGE+', Buffer.from('<a/>').toString('base64')])(
    'nothing that is an answer: %j',
    async (encoded) => {
      const response = await fetch(ours.acsUrl, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ SAMLResponse: encoded }),
      })
      expect(response.status).toBe(303)
      expect(response.headers.get('location')).toContain('error_code=validation_failed')
    },
  )
})

describe('an answer to a request', () => {
  test('is taken once, for this request and from this provider', async () => {
    const [first, second] = [await request(), await request()]
    const answer = provider.answer(ours, { inResponseTo: first.id })
    expect(await refusalOf(answer, second.relayState)).toBe(`${INVALID}its InResponseTo is not our request`)
    expect(await refusalOf(answer)).toBe(`${INVALID}its InResponseTo is not our request`)
    const of = async (contents: Contents, by = provider) => {
      const { id, relayState } = await request()
      return refusalOf(by.answer(ours, { inResponseTo: id, ...contents }), relayState)
    }
    expect(await of({ confirmedInResponseTo: null })).toBe(
      `${INVALID}its assertion is for another recipient, request or time`,
    )
    expect(await of({ confirmedInResponseTo: first.id })).toBe(
      `${INVALID}its assertion is for another recipient, request or time`,
    )
    expect(await of({ inResponseTo: null })).toBe(`${INVALID}its InResponseTo is not our request`)
    expect(await of({}, hostile)).toBe(`${INVALID}it is of another Issuer`)
    expect(await of({ issuer: provider.entityId }, hostile)).toBe(`${INVALID}Invalid signature`)

    const back = await come(server, answer, first.relayState)
    expect(back.get('code')).toBeTruthy()
    expect(await refusalOf(answer, first.relayState)).toBe(
      'SAML RelayState does not exist, try logging in again?',
    )
  })

  test('comes too late', async () => {
    const { id, relayState } = await request()
    await server.database.pool.query(
      `update auth.saml_relay_states set created_at = now() - interval '121 seconds' where id = $1`,
      [relayState],
    )
    expect(await refusalOf(provider.answer(ours, { inResponseTo: id }), relayState)).toBe(
      'SAML RelayState has expired. Try logging in again?',
    )
  })

  test('names a state that is none', async () => {
    const answer = provider.answer(ours)
    expect(await refusalOf(answer, 'nowhere')).toBe('SAML RelayState is not a valid UUID or URL')
    expect(await refusalOf(answer, '00000000-0000-4000-8000-000000000000')).toBe(
      'SAML RelayState does not exist, try logging in again?',
    )
  })

  test('is from a provider that was switched off meanwhile', async () => {
    const { id, relayState } = await request()
    const set = (disabled: boolean) =>
      raw(server, `/admin/sso/providers/${providerId}`, {
        method: 'PUT',
        headers: { apikey: server.secretKey },
        body: { disabled },
      })
    await set(true)
    try {
      const off = 'SSO Provider assigned for this domain is currently disabled'
      expect(await refusalOf(provider.answer(ours, { inResponseTo: id }), relayState)).toBe(off)
      expect(await refusalOf(provider.answer(ours))).toBe(off)
    } finally {
      await set(false)
    }
  })
})
