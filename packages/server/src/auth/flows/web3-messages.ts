// The messages that wallets sign to sign in: EIP-4361 (https://eips.ethereum.org/EIPS/eip-4361) for Ethereum, and the
// same lines for Solana. Read as GoTrue reads them, but a field that comes twice is refused: every reader takes the same.
import { invalid } from '../errors.ts'

export type Chain = 'ethereum' | 'solana'

export type SignInMessage = {
  /** Host, and port if there is one, of the app that asked for the signature. */
  domain: string
  /** The wallet's, in lower case for Ethereum. */
  address: string
  statement: string | null
  uri: URL
  /** Ethereum's number of the chain, or the name of Solana's network; empty where the message names none. */
  network: string
  issuedAt: Date
  expiresAt: Date | null
  notBefore: Date | null
}

const CHAINS = {
  ethereum: {
    prefix: 'siwe',
    name: 'Ethereum',
    address: /^0x[a-fA-F0-9]{40}$/,
    wrongAddress: 'wallet address is not a valid Ethereum address',
    network: /^0*[1-9]\d{0,14}$/,
  },
  solana: {
    prefix: 'siws',
    name: 'Solana',
    address: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
    wrongAddress: 'wallet address is not in base58 format',
    network: /^(mainnet|devnet|testnet|)$/i,
  },
} as const

const DOMAIN = /^(localhost|([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,})(:\d{1,5})?$/i

/** RFC 3339. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

/** At least eight letters and digits, as EIP-4361 has it. */
const NONCE = /^[a-zA-Z0-9]{8,}$/

/** Reads a message of one chain. Throws validation_failed in GoTrue's words. */
export function readMessage(chain: Chain, text: string): SignInMessage {
  const rules = CHAINS[chain]
  const refuse = (rule: string): never => {
    throw invalid(`${rules.prefix}: ${rule}`)
  }
  const lines = text.split('\n')
  if (lines.length < 6) refuse('message needs at least 6 lines')
  const [header = '', addressLine = '', third, fourth = '', fifth] = lines
  const suffix = ` wants you to sign in with your ${rules.name} account:`
  if (!header.endsWith(suffix)) refuse(`message first line does not end in "${suffix}"`)
  const domain = header.slice(0, -suffix.length).trim()
  if (!DOMAIN.test(domain)) refuse('domain in first line of message is not valid')
  const address = addressLine.trim()
  if (!rules.address.test(address)) refuse(rules.wrongAddress)
  if (third !== '') refuse('third line must be empty')
  const hasStatement = fourth !== '' && fifth === ''
  const fields = readFields(lines, hasStatement ? 5 : 3, refuse)

  const version = fields.get('Version') ?? ''
  if (version !== '1') refuse(`Version value is not supported, expected 1 got ${JSON.stringify(version)}`)
  const network = fields.get('Chain ID')
  if (network !== undefined && !rules.network.test(network)) refuse('Chain ID is not valid')
  const nonce = fields.get('Nonce')
  if (nonce !== undefined && !NONCE.test(nonce)) refuse('Nonce must be at least 8 letters and digits')
  const time = (name: string): Date | null => {
    const value = fields.get(name)
    if (value === undefined) return null
    const moment = new Date(TIMESTAMP.test(value) ? value : Number.NaN)
    return Number.isNaN(moment.getTime()) ? refuse(`${name} is not a valid ISO8601 timestamp`) : moment
  }
  const issuedAt = time('Issued At') ?? refuse('Issued At is not specified')
  const [expiresAt, notBefore] = [time('Expiration Time'), time('Not Before')]
  const uri = fields.get('URI') ?? refuse('URI is not specified')
  if (!URL.canParse(uri)) refuse('URI is not valid')
  if (expiresAt && issuedAt > expiresAt) refuse('Issued At is after Expiration Time')
  if (expiresAt && notBefore && notBefore > expiresAt) refuse('Not Before is after Expiration Time')
  return {
    domain,
    address: chain === 'ethereum' ? address.toLowerCase() : address,
    statement: hasStatement ? fourth : null,
    uri: new URL(uri),
    network: network ?? '',
    issuedAt,
    expiresAt,
    notBefore,
  }
}

/** The lines `Name: value` from one line on; the resources that may follow are checked and left out. */
function readFields(lines: string[], from: number, refuse: (rule: string) => never): Map<string, string> {
  const fields = new Map<string, string>()
  let resources: number | null = null
  for (const [offset, untrimmed] of lines.slice(from).entries()) {
    const line = untrimmed.trim()
    if (resources !== null && line.startsWith('- ')) {
      if (!URL.canParse(line.slice(2).trim())) refuse(`Resource at position ${resources} has invalid URI`)
      resources++
      continue
    }
    resources = line === 'Resources:' ? 0 : null
    if (line === '' || resources !== null) continue
    const [, name = '', value = ''] =
      /^([^:]+):(.*)$/.exec(line) ?? refuse(`encountered unparsable line at index ${from + offset}`)
    if (fields.has(name)) refuse(`${name} is given twice`)
    fields.set(name, value.trim())
  }
  return fields
}
