// The ceremonies of WebAuthn (https://www.w3.org/TR/webauthn-3/), for passkeys and for authenticators as second factors:
// what a browser is asked to sign, and whether it did. Origins and the relying party's id are the project's, whatever a
// request says. An answer that is malformed in any way is one that does not verify.
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { lazyPackage } from '../../config/lazy-packages.ts'
import type { AuthService } from '../service.ts'
import type { NewPasskey } from '../store/passkeys.ts'

/** Seconds in which an authenticator's answer is taken. */
export const CEREMONY_LIFETIME_S = 300

/** The library that reads and checks the browser's answers: eighteen megabytes, loaded when the first passkey is asked for. */
const library = () => lazyPackage('webauthn')

/** A JSON object of a request, of which nothing is known. */
type Unknown = Record<string, unknown>

/** Whom the browser believes to be talking to: [auth.webauthn], else the site. */
function relyingParty({ settings }: AuthService): { id: string; name: string; origins: string[] } {
  const { rp_id: id, rp_display_name: name, rp_origins: origins } = settings.webauthn
  const site = new URL(settings.site_url)
  return {
    id: id ?? site.hostname,
    name: name ?? site.host,
    origins: origins.length > 0 ? origins.map((each) => each.replace(/\/$/, '')) : [site.origin],
  }
}

/** A passkey is all that signs somebody in, so its authenticator verifies the person; a second factor need not. */
const verificationOf = (isPasskey: boolean) => (isPasskey ? 'required' : 'preferred')

/**
 * Options to make a credential with. `discoverable` ones, which are passkeys, are found by the authenticator without an
 * account's name; `known` are the ids (base64url) that it must not have yet.
 */
export async function registrationOptions(
  service: AuthService,
  user: { id: string; name: string },
  { known, discoverable }: { known: string[]; discoverable: boolean },
) {
  const { id, name } = relyingParty(service)
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpID: id,
    rpName: name,
    userID: new TextEncoder().encode(user.id),
    userName: user.name,
    userDisplayName: user.name,
    timeout: CEREMONY_LIFETIME_S * 1000,
    attestationType: 'none',
    excludeCredentials: known.map((each) => ({ id: each })),
    authenticatorSelection: {
      residentKey: discoverable ? 'required' : 'discouraged',
      userVerification: verificationOf(discoverable),
    },
  })
}

/** Options to sign with one of the `allowed` credentials (base64url); with none, any passkey that the authenticator has. */
export async function requestOptions(service: AuthService, allowed: string[] = []) {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: relyingParty(service).id,
    allowCredentials: allowed.map((each) => ({ id: each })),
    timeout: CEREMONY_LIFETIME_S * 1000,
    userVerification: verificationOf(allowed.length === 0),
  })
}

/** The credential that an authenticator made for this challenge; null where the answer is not one to it. */
export async function verifyRegistration(
  service: AuthService,
  challenge: string,
  response: Unknown,
  { isPasskey }: { isPasskey: boolean },
): Promise<NewPasskey | null> {
  const { id, origins } = relyingParty(service)
  try {
    const { verified, registrationInfo } = await (await library()).verifyRegistrationResponse({
      response: response as unknown as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origins,
      expectedRPID: id,
      requireUserVerification: isPasskey,
    })
    if (!verified) return null
    const { credential, fmt, aaguid, credentialDeviceType, credentialBackedUp } = registrationInfo
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      attestation: fmt,
      aaguid,
      counter: credential.counter,
      transports: (credential.transports ?? []).filter((each) => typeof each === 'string').slice(0, 10),
      backupEligible: credentialDeviceType === 'multiDevice',
      backedUp: credentialBackedUp,
    }
  } catch {
    return null
  }
}

/**
 * The authenticator's new count of signatures, where it signed this challenge with the credential; null where it did not,
 * or where the count went back, as that of a copy does.
 */
export async function verifyAssertion(
  service: AuthService,
  challenge: string,
  response: Unknown,
  credential: { id: Buffer; publicKey: Buffer; counter: number; isPasskey: boolean },
): Promise<{ counter: number; backedUp: boolean } | null> {
  const { id, origins } = relyingParty(service)
  const credentialId = credential.id.toString('base64url')
  if (response.id !== credentialId) return null
  try {
    const { verified, authenticationInfo } = await (await library()).verifyAuthenticationResponse({
      response: response as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origins,
      expectedRPID: id,
      requireUserVerification: credential.isPasskey,
      credential: {
        id: credentialId,
        publicKey: new Uint8Array(credential.publicKey),
        counter: credential.counter,
      },
    })
    if (!verified) return null
    return { counter: authenticationInfo.newCounter, backedUp: authenticationInfo.credentialBackedUp }
  } catch {
    return null
  }
}
