// A project with its own key pairs in addition to the shared secret: what signs, what verifies, what is published.
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeProtectedHeader,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openKeys, TokenError } from '../../src/keys/keys.ts'
import { authServer, giver } from '../auth/project.ts'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'

const SECRET = 'a-secret-of-at-least-thirty-two-characters'
const none = { secret: null, anonKey: null, serviceRoleKey: null }
const now = () => Math.floor(Date.now() / 1000)

/** As `supabase gen signing-key` writes one. */
function keyPair(type: 'ec' | 'rsa' = 'ec', key_ops = ['sign', 'verify']): JWK {
  const { privateKey } =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = privateKey.export({ format: 'jwk' }) as JWK
  return { ...jwk, kid: randomUUID(), use: 'sig', key_ops, alg: type === 'ec' ? 'ES256' : 'RS256', ext: true }
}

const signedBy = async ({ key_ops: _, ext: __, ...jwk }: JWK, claims: object) =>
  new SignJWT({ exp: now() + 60, ...claims })
    .setProtectedHeader({ alg: jwk.alg as string, kid: jwk.kid as string })
    .sign(await importJWK(jwk, jwk.alg))
const signedWithSecret = (claims: object) =>
  new SignJWT({ exp: now() + 60, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(SECRET))

describe('the keys of a file', () => {
  let dataDir: string
  let signingKeysPath: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'meadowlark-keys-'))
    signingKeysPath = join(dataDir, 'signing_keys.json')
  })
  afterEach(() => rmSync(dataDir, { recursive: true }))

  const open = (keys: unknown, jwt: object = {}) => {
    writeFileSync(signingKeysPath, typeof keys === 'string' ? keys : JSON.stringify(keys))
    return openKeys({ dataDir, jwt: { ...none, signingKeysPath, ...jwt } })
  }

  test('sign by the first of them, and verify by all, by the secret and by the key of DATA_DIR', async () => {
    const before = await openKeys({ dataDir, jwt: none })
    const own = await before.sign({ sub: 'ada', exp: now() + 60 })
    const [current, rsa, standby] = [keyPair(), keyPair('rsa'), keyPair('ec', ['verify'])]
    const keys = await open([standby, current, rsa], { secret: SECRET })
    const token = await keys.sign({ sub: 'grace', exp: now() + 60 })
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', kid: current.kid })
    const others = await Promise.all([current, rsa, standby].map((key) => signedBy(key, { sub: 'theo' })))
    for (const one of [own, token, ...others, await signedWithSecret({ sub: 'sam' })]) {
      expect(await keys.verify(one)).toMatchObject({ sub: expect.any(String) })
    }
    expect(keys.jwks.keys.map(({ kid }) => kid)).toEqual([
      ...[standby.kid, current.kid, rsa.kid],
      decodeProtectedHeader(own).kid,
    ])
    for (const jwk of keys.jwks.keys) {
      expect(
        Object.keys(jwk).filter((name) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].includes(name)),
      ).toEqual([])
      expect(jwk).toMatchObject({ use: 'sig', key_ops: ['verify'] })
    }
    expect((await jwtVerify(token, createLocalJWKSet(keys.jwks))).payload.sub).toBe('grace')
    // The legacy keys go on standing for their roles.
    expect(keys.publishable).toMatch(/^eyJ/)
    expect(keys.roleOf(before.secret)).toBe('service_role')
  })

  test('let no key be taken for another', async () => {
    const [ec, rsa] = [keyPair(), keyPair('rsa')]
    const keys = await open([ec, rsa])
    const refused = async (token: string) =>
      keys.verify(token).then(
        () => 'accepted',
        (error) => (error instanceof TokenError ? error.reason : error),
      )
    expect(await refused(await signedBy({ ...keyPair(), kid: ec.kid }, {}))).toBe('signature')
    expect(await refused(await signedBy({ ...rsa, kid: ec.kid }, {}))).toBe('signature')
    expect(await refused(await signedBy(keyPair(), {}))).toBe('signature')
    expect(await refused(await signedWithSecret({}))).toBe('signature')
    const published = new TextEncoder().encode(JSON.stringify(keys.jwks.keys[0]))
    const confused = await new SignJWT({}).setProtectedHeader({ alg: 'HS256', kid: ec.kid }).sign(published)
    expect(await refused(confused)).toBe('signature')
  })

  /** One of each kind that there is. */
  const ofEachKind = (): Record<string, JWK> => ({
    ES256: keyPair(),
    RS256: keyPair('rsa'),
    EdDSA: {
      ...(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as JWK),
      kid: randomUUID(),
      alg: 'EdDSA',
      use: 'sig',
      key_ops: ['sign', 'verify'],
    },
    HS256: {
      kty: 'oct',
      k: randomBytes(48).toString('base64url'),
      kid: randomUUID(),
      alg: 'HS256',
      use: 'sig',
      key_ops: ['sign', 'verify'],
    },
  })

  test.each(['ES256', 'RS256', 'EdDSA', 'HS256'])(
    'of %s sign next to keys of every other kind, in the environment, and no secret is published',
    async (algorithm) => {
      const all = ofEachKind()
      const first = all[algorithm] as JWK
      const others = Object.values(all).filter((jwk) => jwk !== first)
      const keys = await openKeys({
        dataDir,
        jwt: { ...none, keys: JSON.stringify([first, ...others]), signingKeysPath: '/nowhere' },
      })
      const token = await keys.sign({ sub: 'grace', exp: now() + 60 })
      expect(decodeProtectedHeader(token)).toMatchObject({ alg: algorithm, kid: first.kid })
      for (const one of [
        token,
        ...(await Promise.all(others.map((jwk) => signedBy(jwk, { sub: 'theo' })))),
      ]) {
        expect(await keys.verify(one)).toMatchObject({ sub: expect.any(String) })
      }
      expect(keys.signsPublicly).toBe(algorithm !== 'HS256')
      const published = keys.jwks.keys.map(({ kid }) => kid)
      expect(published).toEqual(expect.arrayContaining([all.ES256?.kid, all.RS256?.kid, all.EdDSA?.kid]))
      expect(published).not.toContain(all.HS256?.kid)
      expect(JSON.stringify(keys.jwks)).not.toContain(all.HS256?.k)
      const asJwks = jwtVerify(token, createLocalJWKSet(keys.jwks))
      if (algorithm === 'HS256') await expect(asJwks).rejects.toThrow()
      else expect((await asJwks).payload.sub).toBe('grace')
    },
  )

  test('let no shared secret be taken for another, nor a secret that only verifies sign', async () => {
    const { HS256: one, ES256: pair } = ofEachKind() as Record<'HS256' | 'ES256', JWK>
    const standby = { ...(ofEachKind().HS256 as JWK), key_ops: ['verify'] }
    const keys = await open([standby, pair, one])
    expect(decodeProtectedHeader(await keys.sign({ exp: now() + 60 })).kid).toBe(pair.kid)
    const strange = { ...(ofEachKind().HS256 as JWK), kid: one.kid }
    await expect(keys.verify(await signedBy(strange, {}))).rejects.toThrow(TokenError)
    await expect(keys.verify(await signedBy({ ...one, kid: 'another' }, {}))).rejects.toThrow(TokenError)
    expect(await keys.verify(await signedBy(standby, { sub: 'grace' }))).toMatchObject({ sub: 'grace' })
  })

  test('in the environment are named when they are wrong, without being shown', async () => {
    const key = keyPair()
    const wrong = openKeys({ dataDir, jwt: { ...none, keys: JSON.stringify([{ ...key, crv: 'P-384' }]) } })
    await expect(wrong).rejects.toThrow('JWT_KEYS: has a key that cannot be used, number 1: kty must be')
    await expect(wrong).rejects.not.toThrow(key.d)
  })

  test('may be none yet', async () => {
    const keys = await open([], { secret: SECRET })
    expect(decodeProtectedHeader(await keys.sign({ exp: now() + 60 })).alg).toBe('HS256')
  })

  test('that cannot be are named, without being shown', async () => {
    const refusal = (keys: unknown) =>
      open(keys).then(
        () => 'accepted',
        (error: Error) => error.message,
      )
    const key = keyPair()
    const wrong: [unknown, string][] = [
      ['{', 'is not JSON'],
      [key, 'must be a JSON array of keys'],
      [
        [{ ...key, crv: 'P-384' }],
        'number 1: kty must be "EC" with crv "P-256", "OKP" with crv "Ed25519", "RSA", or "oct"',
      ],
      [[key, { kty: 'oct', k: 'c2VjcmV0' }], 'number 2: k must have 32 bytes at least, in base64url'],
      [[key, { kty: 'oct' }], 'number 2: k must have 32 bytes at least'],
      [[{ kty: 'oct', k: 'x'.repeat(50), alg: 'ES256' }], 'number 1: alg must be "HS256"'],
      [[{ ...key, alg: 'RS256' }], 'number 1: alg must be "ES256"'],
      [[{ ...key, x: keyPair().x, y: keyPair().y }], 'number 1: '],
      [
        [
          { ...keyPair('rsa'), alg: 'RS256', d: undefined, n: 'AQAB' },
          { ...key, d: undefined },
        ],
        'has no private key',
      ],
      [[key, key], `has two keys with the kid "${key.kid}"`],
      [[null], 'number 1: kty must be'],
    ]
    for (const [keys, rule] of wrong) {
      const message = await refusal(keys)
      expect(message).toContain(`[auth] signing_keys_path: ${signingKeysPath} `)
      expect(message).toContain(rule)
      expect(message).not.toContain(key.d)
    }
    rmSync(signingKeysPath)
    await expect(openKeys({ dataDir, jwt: { ...none, signingKeysPath } })).rejects.toThrow(
      'cannot be read (ENOENT); correct the path or add the file',
    )
  })
})

describe('a server with both', () => {
  let server: TestServer
  const current = keyPair()
  beforeAll(async () => {
    server = await authServer({
      auth: 'signing_keys_path = "./signing_keys.json"',
      email: 'enable_confirmations = false',
      files: { 'supabase/signing_keys.json': JSON.stringify([current]) },
      options: { env: { JWT_SECRET: SECRET } },
    })
  })
  afterAll(() => server?.stop())

  test('signs people in by the key pair, and takes tokens of the secret', async () => {
    const client = stranger(server)
    const { data, error } = await client.auth.signUp({
      email: 'grace@example.com',
      password: 'Meadowlark1',
      options: { data: giver('Grace Field') },
    })
    expect(error).toBeNull()
    const token = data.session?.access_token as string
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', kid: current.kid })
    const jwks = createRemoteJWKSet(new URL(`${server.url}/auth/v1/.well-known/jwks.json`))
    expect((await jwtVerify(token, jwks)).payload.sub).toBe(data.user?.id)
    expect((await client.auth.getUser()).data.user?.email).toBe('grace@example.com')
    expect((await client.auth.getClaims(token)).data?.claims.sub).toBe(data.user?.id)

    const legacy = await signedWithSecret({ sub: data.user?.id, role: 'authenticated' })
    expect((await stranger(server).auth.getUser(legacy)).data.user?.email).toBe('grace@example.com')
  })
})
