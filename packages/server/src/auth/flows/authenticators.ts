// Authenticators as second factors (factor_type webauthn): what a factor is asked to make or to sign, and whether it did.
import type { Queryable } from '../../sql/queryable.ts'
import { type AuthError, badRequest, invalid } from '../errors.ts'
import type { AuthService } from '../service.ts'
import { type Challenge, type Factor, type StoredCredential, setCredential } from '../store/factors.ts'
import type { User } from '../store/users.ts'
import { isVerified } from './factors.ts'
import { registrationOptions, requestOptions, verifyAssertion, verifyRegistration } from './webauthn.ts'

/** The client's answer to a challenge, sent with the challenge's id. */
export type AuthenticatorAnswer = { type: string; credential_response: Record<string, unknown> | null }

/** For a factor that is not verified yet the options to make a credential, else those to sign with it. */
export async function askAuthenticator(service: AuthService, user: User, factor: Factor) {
  if (isVerified(factor)) {
    const publicKey = await requestOptions(service, [credentialId(factor).toString('base64url')])
    return { type: 'request', credential_options: { publicKey } }
  }
  const others = user.factors.filter((one) => one.factor_type === 'webauthn' && isVerified(one))
  const publicKey = await registrationOptions(
    service,
    { id: user.id, name: user.email || user.phone || user.id },
    { known: others.map((one) => credentialId(one).toString('base64url')), discoverable: false },
  )
  return { type: 'create', credential_options: { publicKey } }
}

/** Throws validation_failed for an answer that has not the fields of one. */
export function readAuthenticatorAnswer(answer: AuthenticatorAnswer | null): void {
  if (!answer) throw invalid('WebAuthn config required')
  if (answer.type !== 'create' && answer.type !== 'request') {
    throw invalid('WebAuthn type must be create or request')
  }
  if (!answer.credential_response) throw invalid('credential_response required')
}

/**
 * Checks an answer to the challenge and keeps the credential, or its new count. Answers the error, or null. The
 * factor's state decides between `create` and `request`, not the client's request: a verified factor is never created
 * again.
 */
export async function provesAuthenticator(
  client: Queryable,
  service: AuthService,
  factor: Factor,
  challenge: Challenge,
  answer: AuthenticatorAnswer,
): Promise<AuthError | null> {
  const response = answer.credential_response ?? {}
  const toSign = challenge.to_sign ?? ''
  if (answer.type !== (isVerified(factor) ? 'request' : 'create')) {
    return invalid(`WebAuthn type must be ${isVerified(factor) ? 'request' : 'create'} for this factor`)
  }
  const known = factor.web_authn_credential
  if (!known) {
    const made = await verifyRegistration(service, toSign, response, { isPasskey: false })
    if (!made) return notVerified()
    await setCredential(client, factor.id, {
      id: made.credentialId.toString('base64'),
      publicKey: made.publicKey.toString('base64'),
      attestationType: made.attestation,
      transport: made.transports,
      flags: { backupEligible: made.backupEligible, backupState: made.backedUp },
      authenticator: {
        AAGUID: Buffer.from(made.aaguid.replaceAll('-', ''), 'hex').toString('base64'),
        signCount: made.counter,
      },
    })
    return null
  }
  const signed = await verifyAssertion(service, toSign, response, {
    id: credentialId(factor),
    publicKey: Buffer.from(known.publicKey, 'base64'),
    counter: known.authenticator.signCount,
    isPasskey: false,
  })
  if (!signed) return notVerified()
  await setCredential(client, factor.id, {
    ...known,
    flags: { ...known.flags, backupState: signed.backedUp },
    authenticator: { ...known.authenticator, signCount: signed.counter },
  })
  return null
}

const notVerified = () => badRequest('webauthn_verification_failed', 'Credential verification failed')

const credentialId = ({ web_authn_credential: credential }: Factor): Buffer =>
  Buffer.from((credential as StoredCredential).id, 'base64')
