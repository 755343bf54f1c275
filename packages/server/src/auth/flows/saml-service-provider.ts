// This service as SAML knows it, the service provider: its addresses, its certificate, its metadata, and the requests
// with which people go to their identity provider.

import { createPrivateKey, createPublicKey, randomBytes, webcrypto } from 'node:crypto'
import type { SAML } from '@node-saml/node-saml'
import { lazyPackage } from '../../config/lazy-packages.ts'
import { notFound } from '../errors.ts'
import type { AuthService } from '../service.ts'
import type { SsoProvider } from '../store/sso-providers.ts'
import { type IdentityProvider, readMetadata } from './saml-metadata.ts'

const NAME_ID = 'urn:oasis:names:tc:SAML:'
export const EMAIL_NAME_ID = `${NAME_ID}1.1:nameid-format:emailAddress`
export const TRANSIENT_NAME_ID = `${NAME_ID}2.0:nameid-format:transient`
const PERSISTENT_NAME_ID = `${NAME_ID}2.0:nameid-format:persistent`
const UNSPECIFIED_NAME_ID = `${NAME_ID}1.1:nameid-format:unspecified`

/** The formats of names that a provider may be asked for; the persistent one unless it is set up otherwise. */
export const NAME_ID_FORMATS = [PERSISTENT_NAME_ID, EMAIL_NAME_ID, TRANSIENT_NAME_ID, UNSPECIFIED_NAME_ID]

/** Clocks may differ by this much; an assertion is good for this long after its issue. */
export const CLOCK_SKEW_MS = 3 * 60_000
export const MAX_ASSERTION_AGE_MS = 5 * 60_000

/** Throws saml_provider_disabled where config.toml does not switch SAML on. */
export function requireSaml({ settings: { saml } }: AuthService): void {
  if (!saml.enabled) throw notFound('saml_provider_disabled', 'SAML 2.0 is disabled')
}

/** Our name among service providers, and the address that answers come to. */
export const addressesOf = ({ authUrl }: AuthService) => ({
  entityId: `${authUrl}/sso/saml/metadata`,
  acsUrl: `${authUrl}/sso/saml/acs`,
})

export const makeRequestId = (): string => `_${randomBytes(20).toString('hex')}`

/** The two ends of a provider's sign-ins: ours by the library, and the identity provider as its metadata describes it. */
export async function connectionTo(
  service: AuthService,
  provider: SsoProvider,
  requestId: string | null = null,
): Promise<{ saml: SAML; identityProvider: IdentityProvider }> {
  const identityProvider = readMetadata(provider.saml.metadata_xml)
  const { entityId, acsUrl } = addressesOf(service)
  const [{ SAML: Saml }, { key, certificate }] = await Promise.all([lazyPackage('saml'), signingKey(service)])
  const saml = new Saml({
    issuer: entityId,
    audience: entityId,
    callbackUrl: acsUrl,
    entryPoint: identityProvider.signOnUrl,
    idpCert: identityProvider.certificates,
    identifierFormat: provider.saml.name_id_format ?? PERSISTENT_NAME_ID,
    disableRequestedAuthnContext: true,
    ...{ privateKey: key, publicCert: certificate, signatureAlgorithm: 'sha256', digestAlgorithm: 'sha256' },
    // The signature may enclose the answer or its assertion: the library continues with the signed part alone.
    ...{ wantAssertionsSigned: false, wantAuthnResponseSigned: false },
    ...{ acceptedClockSkewMs: CLOCK_SKEW_MS, maxAssertionAgeMs: MAX_ASSERTION_AGE_MS },
    ...(requestId === null ? {} : { generateUniqueId: () => requestId }),
    ...(service.settings.saml.allow_encrypted_assertions ? { decryptionPvk: key } : {}),
  })
  return { saml, identityProvider }
}

/** Where the browser goes with a signed request, by HTTP-Redirect. */
export async function signOnUrl(
  service: AuthService,
  provider: SsoProvider,
  request: { id: string; relayState: string },
): Promise<string> {
  const { saml } = await connectionTo(service, provider, request.id)
  return saml.getAuthorizeUrlAsync(request.relayState, undefined, {})
}

/** Our metadata, for administrators of identity providers; `validUntil` where they keep a copy. */
export async function ownMetadata(service: AuthService, validUntil: Date | null): Promise<string> {
  const { entityId, acsUrl } = addressesOf(service)
  const [{ generateServiceProviderMetadata }, { key, certificate }] = await Promise.all([
    lazyPackage('saml'),
    signingKey(service),
  ])
  const xml = generateServiceProviderMetadata({
    issuer: entityId,
    callbackUrl: acsUrl,
    identifierFormat: PERSISTENT_NAME_ID,
    wantAssertionsSigned: true,
    ...{ privateKey: key, publicCerts: certificate, signatureAlgorithm: 'sha256' },
    ...(service.settings.saml.allow_encrypted_assertions
      ? { decryptionPvk: key, decryptionCert: certificate }
      : {}),
    // The same at every request, so that copies can be compared.
    generateUniqueId: () => '_metadata',
  })
  if (!validUntil) return xml
  return xml.replace('<EntityDescriptor ', `<EntityDescriptor validUntil="${validUntil.toISOString()}" `)
}

type SigningKey = { key: string; certificate: string }

const signingKeys = new WeakMap<AuthService, Promise<SigningKey>>()

/** The key of config.toml with its certificate, both in PEM. */
export function signingKey(service: AuthService): Promise<SigningKey> {
  const known = signingKeys.get(service) ?? makeSigningKey(service)
  signingKeys.set(service, known)
  return known
}

/**
 * SAML takes a certificate only for its public key. All that is in this one follows from the key and the host, so that it
 * is the same after every start and on every server.
 */
async function makeSigningKey({ settings, authUrl }: AuthService): Promise<SigningKey> {
  const der = Buffer.from(settings.saml.private_key ?? '', 'base64')
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs1' })
  const x509 = await lazyPackage('x509')
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' })
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  const { hostname } = new URL(authUrl)
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: '01',
      name: `CN=SAML 2.0 Certificate for ${hostname.replace(/^\[|\]$/g, '')}`,
      notBefore: new Date(0),
      notAfter: new Date(Date.UTC(2170, 0, 1)),
      signingAlgorithm: algorithm,
      keys: {
        privateKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']),
        publicKey: await webcrypto.subtle.importKey('spki', spki, algorithm, true, ['verify']),
      },
    },
    webcrypto as Crypto,
  )
  return {
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
    certificate: certificate.toString('pem'),
  }
}
