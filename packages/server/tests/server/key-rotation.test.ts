// Keys of a project changed by its operator: nobody is signed out by a rotation, and what a revoked key signed is refused.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeProtectedHeader } from 'jose'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ALGORITHMS, addKey, listKeys, revokeKey, rotateKeys } from '../../src/keys/key-rotation.ts'
import { openKeys, TokenError } from '../../src/keys/keys.ts'

let dataDir: string
let place: Parameters<typeof listKeys>[0]
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'meadowlark-rotation-'))
  // Without a path in config.toml the keys are in DATA_DIR.
  place = { dataDir, jwt: { secret: null, anonKey: null, serviceRoleKey: null } }
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const inAnHour = () => Math.floor(Date.now() / 1000) + 3600
/** The keys of a server that starts now. */
const started = async () => openKeys({ ...place, jwt: { ...place.jwt } })
const states = async () => Object.fromEntries((await listKeys(place)).map(({ kid, state }) => [kid, state]))
const kidOf = (token: string) => decodeProtectedHeader(token).kid

test('a session goes on through each step on every server, and ends with its key alone', async () => {
  await listKeys(place)
  const first = await started()
  const before = await first.sign({ sub: 'grace', exp: inAnHour() })
  const own = kidOf(before) as string

  const standby = await addKey(place, 'ES256')
  const second = await started()
  const meanwhile = await second.sign({ sub: 'grace', exp: inAnHour() })
  expect(kidOf(meanwhile)).toBe(own)
  expect(await states()).toEqual({ [standby]: 'standby', [own]: 'own' })

  await rotateKeys(place)
  const third = await started()
  const after = await third.sign({ sub: 'grace', exp: inAnHour() })
  expect(kidOf(after)).toBe(standby)
  // A server that has not read its keys again since the key was a standby key knows it.
  for (const keys of [second, third])
    for (const token of [before, meanwhile, after])
      expect(await keys.verify(token)).toMatchObject({ sub: 'grace' })

  const next = await addKey(place, 'EdDSA')
  await rotateKeys(place)
  expect(await states()).toEqual({ [next]: 'current', [standby]: 'previous', [own]: 'own' })
  expect(readFileSync(join(dataDir, 'signing_keys.json'), 'utf8').match(/"d":/g)).toHaveLength(1)

  await revokeKey(place, standby)
  await revokeKey(place, own)
  const last = await started()
  for (const token of [before, meanwhile, after]) {
    await expect(last.verify(token)).rejects.toThrow(TokenError)
  }
  expect(last.jwks.keys.map(({ kid }) => kid)).toEqual([next])
  expect(await last.verify(await last.sign({ sub: 'grace', exp: inAnHour() }))).toMatchObject({
    sub: 'grace',
  })
})

describe.each(ALGORITHMS)('%s', (algorithm) => {
  test('signs and is published by its public half', async () => {
    await addKey(place, algorithm)
    await rotateKeys(place)
    const keys = await started()
    const token = await keys.sign({ sub: 'grace', exp: inAnHour() })
    expect(decodeProtectedHeader(token).alg).toBe(algorithm)
    expect(await keys.verify(token)).toMatchObject({ sub: 'grace' })
    expect(keys.jwks.keys[0]).toMatchObject({ alg: algorithm, use: 'sig', key_ops: ['verify'] })
    expect(JSON.stringify(keys.jwks)).not.toContain('"d"')
  })
})

test('changes that would sign people out, or sign nothing, are refused; only its account can read the file', async () => {
  await listKeys(place)
  await started()
  await expect(rotateKeys(place)).rejects.toThrow('no key stands by')
  const [own] = await listKeys(place)
  await expect(revokeKey(place, own?.kid as string)).rejects.toThrow('this key signs while no other does')
  const kid = await addKey(place, 'ES256')
  expect(statSync(join(dataDir, 'signing_keys.json')).mode & 0o777).toBe(0o600)
  await rotateKeys(place)
  await expect(revokeKey(place, kid)).rejects.toThrow('this key signs: rotate first')
  await expect(revokeKey(place, 'another')).rejects.toThrow('there is no key "another"')
  await expect(listKeys({ ...place, jwt: { ...place.jwt, keys: '[]' } })).rejects.toThrow('JWT_KEYS: is set')
})
