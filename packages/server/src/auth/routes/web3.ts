// POST /token?grant_type=web3: a session for the owner of a wallet, who has signed a message that names this app.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import { text } from '../body.ts'
import { AuthError, badRequest, InvalidGrant, invalid, unprocessable } from '../errors.ts'
import { signInExternally } from '../flows/external-identities.ts'
import { startSession } from '../flows/sessions.ts'
import { type Chain, readMessage, type SignInMessage } from '../flows/web3-messages.ts'
import { signedBy } from '../flows/web3-signatures.ts'
import { afterUserCreated } from '../hooks/user-created.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService } from '../service.ts'
import { spendProof } from '../store/used-proofs.ts'

export const web3Body = z.object({ chain: text, message: text, signature: text })

const NAMES: Record<Chain, string> = { ethereum: 'Ethereum', solana: 'Solana' }

/** How long after its issue a message is good, however long it says itself; GoTrue's default. */
const MAX_AGE_MS = 10 * 60 * 1000

const MAX_MESSAGE_BYTES = 20 * 1024
const MIN_MESSAGE_BYTES = 64

/**
 * Signs a wallet's owner in, and up the first time. Throws web3_provider_disabled, web3_unsupported_chain,
 * validation_failed for a malformed message or signature, and invalid_grant for one that proves nothing here.
 */
export async function signInWithWeb3(
  service: AuthService,
  { body, origin }: AuthRequest<z.output<typeof web3Body>>,
): Promise<Answer> {
  const chain = enabledChain(service, body.chain)
  const bytes = Buffer.byteLength(body.message)
  if (bytes < MIN_MESSAGE_BYTES) throw invalid('message is too short')
  if (bytes > MAX_MESSAGE_BYTES) throw invalid('message must not exceed 20KB')
  const message = readMessage(chain, body.message)
  const { signature } = body
  if (!(await signedBy(chain, { message: body.message, signature, address: message.address }))) {
    throw new InvalidGrant('Signature does not match address in message')
  }
  requireOwnAddress(service, chain, message)
  const expiresAt = requireTimely(chain, message)
  const { address, domain, network, statement } = message
  const sub = ['web3', chain, address].join(':')
  const { answer, created } = await service.database.transaction(async (client) => {
    // Whoever has seen a message on its way cannot sign in with it.
    if (!(await spendProof(client, [sub, body.message], expiresAt))) {
      throw new InvalidGrant(`Signed ${NAMES[chain]} message has been used already`)
    }
    const signedIn = await signInExternally(
      client,
      service,
      {
        provider: 'web3',
        providerId: sub,
        emails: [],
        data: {
          sub,
          email_verified: false,
          phone_verified: false,
          custom_claims: { address, chain, network, domain, statement },
        },
      },
      origin,
      { emailOptional: true },
    )
    if (signedIn instanceof AuthError) throw signedIn
    const answer = await startSession(client, service, signedIn.user.id, 'web3', origin)
    return { answer, created: signedIn.created ? signedIn.user.id : null }
  })
  if (created) await afterUserCreated(service, created, origin.ip)
  return json(answer)
}

function enabledChain({ settings: { web3 } }: AuthService, chain: string): Chain {
  const disabled = (what: string) => unprocessable('web3_provider_disabled', `${what} is disabled`)
  if (!web3.ethereum.enabled && !web3.solana.enabled) throw disabled('Web3 provider')
  if (chain !== 'ethereum' && chain !== 'solana') {
    throw badRequest('web3_unsupported_chain', 'Unsupported chain')
  }
  if (!web3[chain].enabled) throw disabled(`${NAMES[chain]} Web3 provider`)
  return chain
}

/** A message that was signed for another app signs nobody in here. */
function requireOwnAddress(service: AuthService, chain: Chain, { uri, domain }: SignInMessage): void {
  const refuse = (what: string) => new InvalidGrant(`Signed ${NAMES[chain]} message is using ${what}`)
  if (uri.protocol !== 'https:' && uri.hostname !== 'localhost') throw refuse('URI which does not use HTTPS')
  if (!service.redirectAllowed(uri.href)) {
    throw refuse('URI which is not allowed on this server, message was signed for another app')
  }
  if (uri.host !== domain.toLowerCase()) {
    throw refuse('a Domain that does not match the one in URI which is not allowed on this server')
  }
}

/** Until when the message is good. Throws invalid_grant when it is not now. */
function requireTimely(chain: Chain, { issuedAt, notBefore, expiresAt }: SignInMessage): Date {
  const name = NAMES[chain]
  const now = Date.now()
  if (notBefore && now < notBefore.getTime()) {
    throw new InvalidGrant(`Signed ${name} message becomes valid in the future`)
  }
  if (expiresAt && now > expiresAt.getTime()) throw new InvalidGrant(`Signed ${name} message is expired`)
  if (now > issuedAt.getTime() + MAX_AGE_MS) {
    throw new InvalidGrant(`${name} message was issued too long ago`)
  }
  if (now < issuedAt.getTime() - MAX_AGE_MS) {
    throw new InvalidGrant(`${name} message was issued too far in the future`)
  }
  return new Date(issuedAt.getTime() + MAX_AGE_MS)
}
