// Keys and tokens: made once, kept private, verified strictly.
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openKeys, TokenError } from '../../src/keys/keys.ts'

const SECRET = 'a-secret-of-at-least-thirty-two-characters'
const none = { secret: null, anonKey: null, serviceRoleKey: null }
const now = () => Math.floor(Date.now() / 1000)

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'meadowlark-keys-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const refusal = (verified: Promise<unknown>) =>
  verified.then(
    () => null,
    (error) => (error instanceof TokenError ? [error.reason, error.message] : error),
  )

test('keys are made once, in a file only its owner can read', async () => {
  const first = await openKeys({ dataDir, jwt: none })
  expect(first.publishable).toMatch(/^sb_publishable_[\w-]{22}_[\w-]{8}$/)
  expect(first.secret).toMatch(/^sb_secret_[\w-]{22}_[\w-]{8}$/)
  expect(statSync(join(dataDir, 'keys.json')).mode & 0o777).toBe(0o600)
  const stored = JSON.parse(readFileSync(join(dataDir, 'keys.json'), 'utf8'))
  expect(Object.keys(stored)).toEqual(['publishable', 'secret', 'signing_key'])
  const second = await openKeys({ dataDir, jwt: none })
  expect([second.publishable, second.secret]).toEqual([first.publishable, first.secret])
  const token = await first.sign({ sub: 'theo', role: 'authenticated', exp: now() + 60 })
  expect(await second.verify(token)).toMatchObject({ sub: 'theo' })
})

test('API keys stand for roles, anything else for none', async () => {
  const keys = await openKeys({ dataDir, jwt: none })
  expect(keys.roleOf(keys.publishable)).toBe('anon')
  expect(keys.roleOf(keys.secret)).toBe('service_role')
  for (const other of ['', 'sb_secret_', keys.secret.slice(0, -1), `${keys.publishable} `]) {
    expect(keys.roleOf(other)).toBeNull()
  }
})

test('the public half verifies tokens and holds no private part', async () => {
  const keys = await openKeys({ dataDir, jwt: none })
  const token = await keys.sign({ sub: 'grace', exp: now() + 60 })
  expect(keys.jwks.keys[0]).not.toHaveProperty('d')
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys.jwks))
  expect(payload.sub).toBe('grace')
})

test('expired, early, forged, foreign and broken tokens are refused, each by its reason', async () => {
  const keys = await openKeys({ dataDir, jwt: none })
  const sign = (claims: Record<string, unknown>) => keys.sign({ role: 'authenticated', ...claims })
  expect(await refusal(keys.verify(await sign({ exp: now() - 60 })))).toEqual(['expired', 'JWT expired'])
  expect(await refusal(keys.verify(await sign({ exp: now() - 10 })))).toBeNull()
  expect(await refusal(keys.verify(await sign({ nbf: now() + 90 })))).toEqual([
    'not_yet_valid',
    'JWT not yet valid',
  ])
  expect(await refusal(keys.verify(await sign({ iat: now() + 90 })))).toEqual([
    'not_yet_valid',
    'JWT issued at future',
  ])
  expect(await refusal(keys.verify('one.two'))).toEqual(['malformed', 'Expected 3 parts in JWT; got 2'])
  expect(await refusal(keys.verify(''))).toEqual(['malformed', 'Empty JWT is sent in Authorization header'])
  expect(await refusal(keys.verify('a.b.c'))).toEqual(['malformed', 'JWT cryptographic operation failed'])

  const wrong = ['signature', 'No suitable key or wrong key type']
  const good = await sign({ sub: 'theo', exp: now() + 60 })
  const [header, , signature] = good.split('.')
  const payload = Buffer.from(
    JSON.stringify({ sub: 'theo', role: 'service_role', exp: now() + 60 }),
  ).toString('base64url')
  expect(await refusal(keys.verify(`${header}.${payload}.${signature}`))).toEqual(wrong)
  const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
  expect(await refusal(keys.verify(`${unsigned}.${payload}.`))).toEqual(wrong)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const kid = keys.jwks.keys[0]?.kid as string
  const foreign = await new SignJWT({ sub: 'theo' })
    .setProtectedHeader({ alg: 'ES256', kid })
    .sign(privateKey)
  expect(await refusal(keys.verify(foreign))).toEqual(wrong)
  // The public key, used as if it were a shared secret.
  const confused = await new SignJWT({ sub: 'theo' })
    .setProtectedHeader({ alg: 'HS256', kid })
    .sign(new TextEncoder().encode(JSON.stringify(keys.jwks.keys[0])))
  expect(await refusal(keys.verify(confused))).toEqual(wrong)
})

test('a token that was accepted is refused once it has expired', async () => {
  const keys = await openKeys({ dataDir, jwt: none })
  const token = await keys.sign({ exp: now() - 28 })
  expect(await refusal(keys.verify(token))).toBeNull()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3100 })
  try {
    expect(await refusal(keys.verify(token))).toEqual(['expired', 'JWT expired'])
  } finally {
    vi.useRealTimers()
  }
})

test('with JWT_SECRET the legacy keys work, the same in every replica, and both kinds verify', async () => {
  const before = await openKeys({ dataDir, jwt: none })
  const es256 = await before.sign({ sub: 'ada', exp: now() + 60 })
  const keys = await openKeys({ dataDir, jwt: { ...none, secret: SECRET } })
  const other = await openKeys({
    dataDir: mkdtempSync(join(dataDir, 'other-')),
    jwt: { ...none, secret: SECRET },
  })
  expect(other.publishable).toBe(keys.publishable)
  expect([keys.roleOf(keys.publishable), keys.roleOf(before.publishable)]).toEqual(['anon', 'anon'])
  expect([keys.roleOf(keys.secret), keys.roleOf(before.secret)]).toEqual(['service_role', 'service_role'])
  expect(await keys.verify(keys.secret)).toMatchObject({ role: 'service_role' })
  expect(await keys.verify(es256)).toMatchObject({ sub: 'ada' })
  const hs256 = await keys.sign({ sub: 'sam', exp: now() + 60 })
  expect(JSON.parse(Buffer.from(hs256.split('.')[0] as string, 'base64url').toString()).alg).toBe('HS256')
  expect(await other.verify(hs256)).toMatchObject({ sub: 'sam' })
  expect(await refusal(before.verify(hs256))).toEqual(['signature', 'No suitable key or wrong key type'])
})

test('legacy keys that do not fit are named', async () => {
  const key = (role: string, secret = SECRET) =>
    new SignJWT({ role }).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret))
  const open = async (jwt: Partial<typeof none> | Record<string, string>) =>
    openKeys({ dataDir, jwt: { ...none, ...jwt } })
  await expect(open({ anonKey: await key('anon') })).rejects.toThrow(
    'ANON_KEY: is set, but JWT_SECRET is not',
  )
  await expect(open({ secret: SECRET, anonKey: await key('anon', `${SECRET}x`) })).rejects.toThrow(
    'ANON_KEY: does not verify with JWT_SECRET',
  )
  await expect(open({ secret: SECRET, serviceRoleKey: await key('anon') })).rejects.toThrow(
    'SERVICE_ROLE_KEY: its role is "anon", but must be "service_role"',
  )
  const anonKey = await key('anon')
  expect((await open({ secret: SECRET, anonKey })).publishable).toBe(anonKey)
})

test('a damaged file is named, not replaced', async () => {
  writeFileSync(join(dataDir, 'keys.json'), '{"publishable":')
  await expect(openKeys({ dataDir, jwt: none })).rejects.toThrow(
    /keys\.json is damaged\. Restore it from a backup/,
  )
})
