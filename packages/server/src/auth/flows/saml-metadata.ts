// The metadata of identity providers (SAML 2.0 Metadata, https://docs.oasis-open.org/security/saml/v2.0/): what of it a
// sign-in needs, when it is to be fetched anew, and the fetching.
import { X509Certificate } from 'node:crypto'
import { badRequest, invalid } from '../errors.ts'
import { attribute, children, descendants, METADATA, parseMetadata, SIGNATURE, textOf } from './saml-xml.ts'

export type IdentityProvider = {
  entityId: string
  /** Where requests go, by HTTP-Redirect. */
  signOnUrl: string
  /** Of the keys that sign, in PEM. */
  certificates: string[]
  validUntil: Date | null
  /** Seconds; null where it is not given. */
  cacheDuration: number | null
}

const REDIRECT_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'

const FETCH_TIMEOUT_MS = 10_000
const MAX_BYTES = 1024 * 1024

/** Reads metadata. Throws validation_failed, which says what it lacks. */
export function readMetadata(xml: string): IdentityProvider {
  const fault = (what: string) => invalid(`SAML Metadata ${what}`)
  let root: Element
  try {
    root = parseMetadata(xml)
  } catch (error) {
    throw fault(`is not valid XML: ${(error as Error).message.split('\n')[0]}`)
  }
  const entity = entityOf(root)
  if (!entity) throw fault('does not contain an EntityDescriptor')
  const entityId = attribute(entity, 'entityID') ?? ''
  if (entityId === '') throw fault('does not contain an EntityID')
  const [descriptor, ...others] = children(entity, METADATA, 'IDPSSODescriptor')
  if (!descriptor) throw fault('does not contain any IDPSSODescriptor')
  if (others.length > 0) throw fault('contains multiple IDPSSODescriptors')
  const signOnUrl = children(descriptor, METADATA, 'SingleSignOnService')
    .filter((service) => attribute(service, 'Binding') === REDIRECT_BINDING)
    .map((service) => attribute(service, 'Location') ?? '')[0]
  if (!signOnUrl) throw fault('does not contain a SingleSignOnService with the HTTP-Redirect binding')
  if (!/^https?:\/\//i.test(signOnUrl) || !URL.canParse(signOnUrl)) {
    throw fault('contains a SingleSignOnService whose Location is no web address')
  }
  const certificates = children(descriptor, METADATA, 'KeyDescriptor')
    .filter((key) => (attribute(key, 'use') ?? 'signing') === 'signing')
    .flatMap((key) => descendants(key, SIGNATURE, 'X509Certificate'))
    .map(pemOf)
  if (certificates.length === 0) throw fault('does not contain a certificate to sign with')
  if (certificates.includes(null)) throw fault('contains a certificate that cannot be read')
  const validUntil = new Date(attribute(entity, 'validUntil') ?? Number.NaN)
  return {
    entityId,
    signOnUrl,
    certificates: certificates as string[],
    validUntil: Number.isNaN(validUntil.getTime()) ? null : validUntil,
    cacheDuration: secondsOf(attribute(entity, 'cacheDuration')),
  }
}

/** The root itself, or the first of several that signs people in. */
function entityOf(root: Element): Element | undefined {
  if (root.namespaceURI !== METADATA) return undefined
  if (root.localName === 'EntityDescriptor') return root
  const all = children(root, METADATA, 'EntityDescriptor')
  return all.find((entity) => children(entity, METADATA, 'IDPSSODescriptor').length > 0) ?? all[0]
}

function pemOf(certificate: Element): string | null {
  try {
    return new X509Certificate(Buffer.from(textOf(certificate), 'base64')).toString()
  } catch {
    return null
  }
}

/** An xs:duration without years and months, in seconds; null for anything else. */
function secondsOf(duration: string | null): number | null {
  const parts = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)?$/.exec(duration ?? '')
  if (!parts) return null
  const [days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
  ]
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds || null
}

/** Whether metadata that has an address is to be fetched again: as it says itself, or after a day. */
export function isStale({ validUntil, cacheDuration }: IdentityProvider, fetchedAt: Date): boolean {
  const now = Date.now()
  if (validUntil && now > validUntil.getTime()) return true
  const seconds = cacheDuration ?? (validUntil ? null : 24 * 3600)
  return seconds !== null && now > fetchedAt.getTime() + seconds * 1000
}

/**
 * The metadata at an address, which is of HTTPS or on this machine; redirects are not followed. Throws
 * validation_failed, and saml_metadata_fetch_failed where it does not come in ten seconds or has more than a megabyte.
 */
export async function fetchMetadata(address: string): Promise<string> {
  if (!URL.canParse(address)) throw invalid('metadata_url is not a valid URL')
  const { protocol, hostname } = new URL(address)
  const local = protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
  if (protocol !== 'https:' && !local) throw invalid('metadata_url is not a HTTPS URL')
  const failed = (what: string) =>
    badRequest('saml_metadata_fetch_failed', `${what} fetching SAML Metadata from URL '${address}'`)
  try {
    const response = await fetch(address, {
      headers: { accept: 'application/xml;charset=UTF-8' },
      redirect: 'manual',
      signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
    })
    if (response.status !== 200) {
      await response.body?.cancel()
      throw failed(`HTTP ${response.status} error`)
    }
    const parts: Uint8Array[] = []
    let bytes = 0
    for await (const part of response.body ?? []) {
      bytes += part.length
      if (bytes > MAX_BYTES) throw failed(`More than ${MAX_BYTES} bytes`)
      parts.push(part)
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
  } catch (error) {
    if (error instanceof TypeError && error.message.includes('encoded data')) {
      throw invalid(
        'SAML Metadata XML contains invalid UTF-8 characters, which are not supported at this time',
      )
    }
    if (error instanceof TypeError) throw failed('No connection for')
    if ((error as Error).name === 'TimeoutError')
      throw failed(`No answer in ${FETCH_TIMEOUT_MS / 1000} seconds for`)
    throw error
  }
}
