// Sign-in with a wallet: messages of Ethereum and Solana, signed here with keys of the test, and what is refused.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { base58 } from '@scure/base'
import { addr, eip191Signer } from 'micro-eth-signer'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { authServer, raw } from './project.ts'

let server: TestServer
let onlySolana: TestServer

beforeAll(async () => {
  const limits = '[auth.rate_limit]\nweb3 = 1000\n'
  ;[server, onlySolana] = await Promise.all([
    authServer({
      auth: 'additional_redirect_urls = ["https://app.example.com/**"]',
      more: '[auth.web3.ethereum]\nenabled = true\n[auth.web3.solana]\nenabled = true\n',
      limits,
    }),
    authServer({ more: '[auth.web3.solana]\nenabled = true\n', limits: '[auth.rate_limit]\nweb3 = 3\n' }),
  ])
})
afterAll(() => Promise.all([server?.stop(), onlySolana?.stop()]))

type Wallet = {
  chain: 'ethereum' | 'solana'
  name: string
  address: string
  /** As the client sends it for this chain. */
  sign: (message: string) => string
}

function ethereumWallet(): Wallet {
  const key = randomBytes(32)
  const privateKey = `0x${key.toString('hex')}`
  return {
    chain: 'ethereum',
    name: 'Ethereum',
    address: addr.fromPrivateKey(privateKey),
    sign: (message) => eip191Signer.sign(message, privateKey),
  }
}

function solanaWallet(): Wallet {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  return {
    chain: 'solana',
    name: 'Solana',
    address: base58.encode(Buffer.from(x, 'base64url')),
    sign: (message) => sign(null, Buffer.from(message), privateKey).toString('base64'),
  }
}

type Fields = {
  domain?: string
  address?: string
  statement?: string
  /** Lines behind the statement, each in the place of the one that has its name; null leaves it out. */
  lines?: Record<string, string | null>
}

const ahead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const home = (on: TestServer) => new URL(on.services.config.auth.site_url)

function messageOf(wallet: Wallet, { domain, address, statement, lines }: Fields = {}, on = server): string {
  const all: Record<string, string | null> = {
    URI: home(on).href,
    Version: '1',
    'Chain ID': wallet.chain === 'ethereum' ? '1' : 'mainnet',
    Nonce: randomBytes(8).toString('hex'),
    'Issued At': ahead(0),
    ...lines,
  }
  return [
    `${domain ?? home(on).host} wants you to sign in with your ${wallet.name} account:`,
    address ?? wallet.address,
    '',
    ...(statement ? [statement, ''] : []),
    ...Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`])),
  ].join('\n')
}

/** The client's own way, for messages that were signed before. */
function signIn(wallet: Wallet, message: string, signature = wallet.sign(message), on = server) {
  const { auth } = stranger(on)
  return wallet.chain === 'ethereum'
    ? auth.signInWithWeb3({ chain: 'ethereum', message, signature: signature as `0x${string}` })
    : auth.signInWithWeb3({ chain: 'solana', message, signature: Buffer.from(signature, 'base64') })
}

/** Status and message of a refusal; null for a session. */
async function refusal(wallet: Wallet, message: string, signature?: string, on = server) {
  const { error } = await signIn(wallet, message, signature, on)
  return error && [error.status, error.message]
}

describe.each([
  ['ethereum', ethereumWallet, 'siwe'],
  ['solana', solanaWallet, 'siws'],
] as const)('a wallet of %s', (chain, newWallet, prefix) => {
  let wallet: Wallet
  beforeEach(() => {
    wallet = newWallet()
  })
  const { name } = newWallet()

  test('signs up, and in again to the same account', async () => {
    const message = messageOf(wallet, { statement: 'I accept the terms' })
    const first = await signIn(wallet, message)
    expect(first.error).toBeNull()
    const address = chain === 'ethereum' ? wallet.address.toLowerCase() : wallet.address
    const sub = `web3:${chain}:${address}`
    expect(first.data.user).toMatchObject({
      email: '',
      app_metadata: { provider: 'web3', providers: ['web3'] },
      identities: [
        {
          id: sub,
          provider: 'web3',
          identity_data: {
            sub,
            custom_claims: {
              address,
              chain,
              network: chain === 'ethereum' ? '1' : 'mainnet',
              domain: home(server).host,
              statement: 'I accept the terms',
            },
          },
        },
      ],
    })
    const again = await signIn(wallet, messageOf(wallet))
    expect(again.data.user?.id).toBe(first.data.user?.id)
    const claims = await stranger(server).auth.getClaims(again.data.session?.access_token)
    expect(claims.data?.claims).toMatchObject({ sub: first.data.user?.id, amr: [{ method: 'web3' }] })
  })

  test('has its message taken once, also when it comes twice at the same moment', async () => {
    const message = messageOf(wallet)
    const both = await Promise.all([refusal(wallet, message), refusal(wallet, message)])
    const used = [400, `Signed ${name} message has been used already`]
    expect(both).toContainEqual(null)
    expect(both).toContainEqual(used)
    expect(await refusal(wallet, message)).toEqual(used)
  })

  test('cannot speak for another one, nor have its words changed', async () => {
    const other = newWallet()
    const wrong = [400, 'Signature does not match address in message']
    const message = messageOf(wallet)
    expect(await refusal(wallet, message, other.sign(message))).toEqual(wrong)
    expect(await refusal(wallet, messageOf(wallet, { address: other.address }))).toEqual(wrong)
    const signature = wallet.sign(message)
    expect(
      await refusal(wallet, message.replace('Version: 1', 'Version: 1\nRequest ID: 1'), signature),
    ).toEqual(wrong)
    const empty = chain === 'ethereum' ? `0x${'0'.repeat(130)}` : Buffer.alloc(64).toString('base64')
    expect(await refusal(wallet, message, empty)).toEqual(wrong)
  })

  test('signs for this app alone', async () => {
    const elsewhere = { lines: { URI: 'https://evil.example.net/' } }
    expect(await refusal(wallet, messageOf(wallet, elsewhere))).toEqual([
      400,
      `Signed ${name} message is using URI which is not allowed on this server, message was signed for another app`,
    ])
    const mixed = [
      400,
      `Signed ${name} message is using a Domain that does not match the one in URI which is not allowed on this server`,
    ]
    const app = { URI: 'https://app.example.com/sign-in' }
    expect(await refusal(wallet, messageOf(wallet, { domain: 'evil.example.net' }))).toEqual(mixed)
    expect(await refusal(wallet, messageOf(wallet, { domain: 'evil.example.net', lines: app }))).toEqual(
      mixed,
    )
    const plain = { domain: 'app.example.com', lines: { URI: 'http://app.example.com/' } }
    expect(await refusal(wallet, messageOf(wallet, plain))).toEqual([
      400,
      `Signed ${name} message is using URI which does not use HTTPS`,
    ])
    expect(await refusal(wallet, messageOf(wallet, { domain: 'app.example.com', lines: app }))).toBeNull()
  })

  test('signs for now alone', async () => {
    const refused = async (lines: Record<string, string>) =>
      (await refusal(wallet, messageOf(wallet, { lines })))?.[1]
    expect(await refused({ 'Issued At': ahead(-11) })).toBe(`${name} message was issued too long ago`)
    expect(await refused({ 'Issued At': ahead(11) })).toBe(`${name} message was issued too far in the future`)
    expect(await refused({ 'Not Before': ahead(1) })).toBe(
      `Signed ${name} message becomes valid in the future`,
    )
    expect(await refused({ 'Issued At': ahead(-2), 'Expiration Time': ahead(-1) })).toBe(
      `Signed ${name} message is expired`,
    )
    expect(await refused({ 'Not Before': ahead(-1), 'Expiration Time': ahead(1) })).toBeUndefined()
  })

  test.each([
    ['Version', { Version: '2' }, 'Version value is not supported, expected 1 got "2"'],
    ['URI', { URI: null }, 'URI is not specified'],
    ['URI', { URI: 'nowhere' }, 'URI is not valid'],
    ['Issued At', { 'Issued At': null }, 'Issued At is not specified'],
    ['Issued At', { 'Issued At': 'today' }, 'Issued At is not a valid ISO8601 timestamp'],
    ['Issued At', { 'Issued At': '2026-13-41T00:00:00Z' }, 'Issued At is not a valid ISO8601 timestamp'],
    ['Expiration Time', { 'Expiration Time': '2001-01-01T00:00:00Z' }, 'Issued At is after Expiration Time'],
    ['Chain ID', { 'Chain ID': 'everywhere' }, 'Chain ID is not valid'],
    ['Nonce', { Nonce: 'short' }, 'Nonce must be at least 8 letters and digits'],
    ['URI', { 'Request ID': `1\nURI: https://evil.example.net` }, 'URI is given twice'],
    ['a line', { 'Request ID': '1\nnothing' }, 'encountered unparsable line at index 9'],
    ['a resource', { 'Request ID': '1\nResources:\n- nowhere' }, 'Resource at position 0 has invalid URI'],
  ])('is refused with the rule for %s: %j', async (_field, lines, rule) => {
    expect(await refusal(wallet, messageOf(wallet, { lines }))).toEqual([400, `${prefix}: ${rule}`])
  })
})

test('hardware wallets may write the parity as 0 and 1', async () => {
  const wallet = ethereumWallet()
  const message = messageOf(wallet)
  const signature = wallet.sign(message)
  const parity = signature.endsWith('1b') ? '00' : '01'
  expect(await refusal(wallet, message, signature.slice(0, -2) + parity)).toBeNull()
})

test('input that is no message and no signature is refused by its form', async () => {
  const grant = async (body: unknown) => {
    const { status, json } = await raw(server, '/token?grant_type=web3', { body })
    return [status, json.error_code, json.msg]
  }
  const [ethereum, solana] = [ethereumWallet(), solanaWallet()]
  const invalid = (message: string) => [400, 'validation_failed', message]
  expect(await grant({ chain: 'bitcoin' })).toEqual([400, 'web3_unsupported_chain', 'Unsupported chain'])
  expect(await grant({ chain: 'solana', message: 'x' })).toEqual(invalid('message is too short'))
  expect(await grant({ chain: 'solana', message: 'x'.repeat(30_000) })).toEqual(
    invalid('message must not exceed 20KB'),
  )
  expect(await grant({ chain: 'ethereum', message: 'x\n'.repeat(50) })).toEqual(
    invalid('siwe: message first line does not end in " wants you to sign in with your Ethereum account:"'),
  )
  expect(await grant({ chain: 'ethereum', message: messageOf(ethereum), signature: '0x00' })).toEqual(
    invalid('signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string'),
  )
  expect(await grant({ chain: 'solana', message: messageOf(solana), signature: 'AAAA' })).toEqual(
    invalid('signature must be 64 bytes encoded as base64 with or without padding'),
  )
  expect(await grant({ chain: 'solana', message: messageOf(solana), signature: '%'.repeat(86) })).toEqual(
    invalid('signature does not contain valid base64 characters'),
  )
  // A grant that proves nothing is answered in the form of OAuth.
  const message = messageOf(ethereum)
  const { status, json } = await raw(server, '/token?grant_type=web3', {
    body: { chain: 'ethereum', message, signature: `0x${'zz'.repeat(65)}` },
  })
  expect([status, json]).toEqual([
    400,
    { error: 'invalid_grant', error_description: 'Signature does not match address in message' },
  ])
})

test('where one chain is switched on, the other is not, and wallets have a separate limit', async () => {
  const wallet = ethereumWallet()
  expect(await refusal(wallet, messageOf(wallet, {}, onlySolana), undefined, onlySolana)).toEqual([
    422,
    'Ethereum Web3 provider is disabled',
  ])
  const solana = solanaWallet()
  const tries = [1, 2, 3].map(() => refusal(solana, messageOf(solana, {}, onlySolana), undefined, onlySolana))
  const limited = [429, 'Request rate limit reached']
  expect((await Promise.all(tries)).filter((outcome) => outcome !== null)).toEqual([limited])
})
