// Whether a wallet's signature is its address' own: Ethereum's personal messages (EIP-191), and Ed25519 for Solana.
// The libraries are loaded when the first wallet signs in.
import { createPublicKey, verify } from 'node:crypto'
import { lazyPackage } from '../../config/lazy-packages.ts'
import { invalid } from '../errors.ts'
import type { Chain } from './web3-messages.ts'

type Signed = { message: string; signature: string; address: string }

/** Whether the key of `address` signed the message. Throws validation_failed for a malformed signature. */
export const signedBy = (chain: Chain, signed: Signed): Promise<boolean> =>
  chain === 'ethereum' ? signedOnEthereum(signed) : signedOnSolana(signed)

async function signedOnEthereum({ message, signature, address }: Signed): Promise<boolean> {
  const hex = signature.replace(/^0x/, '')
  if (hex.length !== 130) {
    throw invalid('signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string')
  }
  const { eip191Signer } = await lazyPackage('ethereum')
  // Hardware wallets write the parity as 0 and 1, others as 27 and 28.
  const [rest, parity = ''] = [hex.slice(0, 128), hex.slice(128).toLowerCase()]
  const signer = `0x${rest}${{ '00': '1b', '01': '1c' }[parity] ?? parity}`
  try {
    return eip191Signer.recoverAddress(signer, message).toLowerCase() === address
  } catch {
    return false
  }
}

async function signedOnSolana({ message, signature, address }: Signed): Promise<boolean> {
  if (signature.length !== 86 && signature.length !== 88) {
    throw invalid('signature must be 64 bytes encoded as base64 with or without padding')
  }
  if (!/^[\w+/-]{86}(==)?$/.test(signature))
    throw invalid('signature does not contain valid base64 characters')
  const { base58 } = await lazyPackage('base')
  const publicKey = base58.decode(address)
  if (publicKey.length !== 32) return false
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') },
    format: 'jwk',
  })
  return verify(null, Buffer.from(message), key, Buffer.from(signature, 'base64'))
}
