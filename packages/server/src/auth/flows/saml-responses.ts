// Verifies an identity provider's response (SAML 2.0 Core and Profiles, section 4.1.4). The library reads it and
// passes on only signed content. The checks here bind it to this server, one request and this moment.
import { invalid } from '../errors.ts'
import type { AuthService } from '../service.ts'
import type { SsoProvider } from '../store/sso-providers.ts'
import { decrypt, encryptionError } from './saml-encryption.ts'
import {
  addressesOf,
  CLOCK_SKEW_MS,
  connectionTo,
  EMAIL_NAME_ID,
  MAX_ASSERTION_AGE_MS,
  TRANSIENT_NAME_ID,
} from './saml-service-provider.ts'
import {
  ASSERTION,
  attribute,
  children,
  descendants,
  PROTOCOL,
  parseMessage,
  SIGNATURE,
  textOf,
} from './saml-xml.ts'

/** The content of a fully checked assertion. */
export type Assertion = {
  id: string
  /** The person's lasting name at the provider; null where it gives none. */
  subject: string | null
  /** The name where it is an e-mail address. */
  subjectEmail: string | null
  /** Values by the attribute's name and by its friendly name. */
  attributes: Map<string, string[]>
  /** When the session has to end. */
  notAfter: Date | null
  /** When this very assertion is refused for its age at last. */
  expiresAt: Date
}

/** The provider's own words for why it signs nobody in, or why what it sent cannot be believed. */
export class ResponseRefused extends Error {}

const refuse = (why: string): never => {
  throw new ResponseRefused(why)
}

const SUBJECT_ID = 'urn:oasis:names:tc:SAML:attribute:subject-id'
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'
const MAX_SUBJECT_LENGTH = 1024

/**
 * The XML of a response in Base64, as it was posted. Throws ResponseRefused, and validation_failed for invalid
 * Base64.
 */
export function decodeResponse(encoded: string): Element {
  if (!/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(encoded)) {
    throw invalid('SAMLResponse is not a valid Base64 string')
  }
  try {
    const root = parseMessage(Buffer.from(encoded, 'base64').toString('utf8'))
    if (root.namespaceURI === PROTOCOL && root.localName === 'Response') return root
  } catch (error) {
    refuse(`its XML is refused: ${(error as Error).message.split('\n')[0]}`)
  }
  return refuse('it is no Response')
}

/** The sender as the element names it; used to find the keys that verify it. */
export const issuerOf = (element: Element): string => textOf(children(element, ASSERTION, 'Issuer')[0])

/**
 * Checks a response of the provider and reads its assertion. `requestId` is the request that it has to answer, null where
 * the provider began. Throws ResponseRefused.
 */
export async function readAssertion(
  service: AuthService,
  provider: SsoProvider,
  encoded: string,
  requestId: string | null,
): Promise<Assertion> {
  const response = decodeResponse(encoded)
  const { acsUrl } = addressesOf(service)
  const { entity_id: entityId } = provider.saml
  const status = children(response, PROTOCOL, 'Status').flatMap((each) =>
    children(each, PROTOCOL, 'StatusCode'),
  )[0]
  if (!status || attribute(status, 'Value') !== SUCCESS) refuse('its status is not Success')
  const destination = attribute(response, 'Destination')
  if (destination && destination !== acsUrl) refuse('it is for another Destination')
  const issuer = children(response, ASSERTION, 'Issuer')[0]
  if (issuer && textOf(issuer) !== entityId) refuse('it is of another Issuer')
  if (attribute(response, 'InResponseTo') !== requestId) refuse('its InResponseTo is not our request')
  refuseWeakSignatures(response)
  const [encrypted] = children(response, ASSERTION, 'EncryptedAssertion')
  if (encrypted) {
    const why = encryptionError(service, response)
    if (why) refuse(why)
    refuseWeakSignatures(await decrypt(service, encrypted).catch((error) => refuseEncrypted(service, error)))
  }

  const { saml } = await connectionTo(service, provider)
  const { profile } = await saml
    .validatePostResponseAsync({ SAMLResponse: encoded })
    .catch((error: Error) => {
      if (encrypted) return refuseEncrypted(service, error)
      throw new ResponseRefused(error.message.split('\n')[0])
    })
  const signed = profile?.getAssertionXml?.() ?? refuse('it has no assertion')
  // From here on, nothing is looked at that the signature does not enclose.
  const assertion = parseMessage(signed)
  if (assertion.namespaceURI !== ASSERTION || assertion.localName !== 'Assertion')
    refuse('it has no assertion')
  if (issuerOf(assertion) !== entityId) refuse('its assertion is of another Issuer')
  const id = attribute(assertion, 'ID') || refuse('its assertion has no ID')
  const issuedAt = timeOf(assertion, 'IssueInstant') ?? refuse('its assertion has no IssueInstant')
  if (issuedAt.getTime() > Date.now() + CLOCK_SKEW_MS) refuse('its assertion is issued in the future')
  const subject = children(assertion, ASSERTION, 'Subject')[0] ?? refuse('its assertion has no Subject')
  requireConfirmation(subject, acsUrl, requestId)
  return {
    id,
    ...namesOf(subject, assertion),
    notAfter:
      children(assertion, ASSERTION, 'AuthnStatement').flatMap(
        (statement) => timeOf(statement, 'SessionNotOnOrAfter') ?? [],
      )[0] ?? null,
    expiresAt: new Date(issuedAt.getTime() + MAX_ASSERTION_AGE_MS + CLOCK_SKEW_MS),
  }
}

/** Always the same words: who tries ciphertexts learns nothing of what they decrypt to. */
function refuseEncrypted({ log }: AuthService, error: Error): never {
  log.info({ why: error.message.split('\n')[0] }, 'an encrypted assertion was refused')
  throw new ResponseRefused('its encrypted assertion is not accepted')
}

/** SHA-1 no longer proves who wrote something. (As a part of OAEP, outside of signatures, it proves nothing and may stay.) */
function refuseWeakSignatures(signed: Element): void {
  const algorithms = descendants(signed, SIGNATURE, 'SignedInfo').flatMap((info) =>
    ['SignatureMethod', 'DigestMethod'].flatMap((name) =>
      descendants(info, SIGNATURE, name).map((method) => attribute(method, 'Algorithm') ?? ''),
    ),
  )
  if (algorithms.some((algorithm) => !/sha(256|384|512)$/.test(algorithm))) refuse('it is signed with SHA-1')
}

/** By whom and where the assertion may be brought: by whoever has it, to us, in answer to the request, now. */
function requireConfirmation(subject: Element, acsUrl: string, requestId: string | null): void {
  const confirmed = children(subject, ASSERTION, 'SubjectConfirmation').some((confirmation) => {
    const data = children(confirmation, ASSERTION, 'SubjectConfirmationData')[0]
    if (attribute(confirmation, 'Method') !== BEARER || !data) return false
    const end = timeOf(data, 'NotOnOrAfter')
    return (
      attribute(data, 'Recipient') === acsUrl &&
      attribute(data, 'InResponseTo') === requestId &&
      end !== null &&
      end.getTime() > Date.now() - CLOCK_SKEW_MS
    )
  })
  if (!confirmed) refuse('its assertion is for another recipient, request or time')
}

function namesOf(
  subject: Element,
  assertion: Element,
): Pick<Assertion, 'subject' | 'subjectEmail' | 'attributes'> {
  const attributes = attributesOf(assertion)
  const nameId = children(subject, ASSERTION, 'NameID')[0]
  const format = nameId && attribute(nameId, 'Format')
  const name = textOf(nameId)
  const isEmail = format === EMAIL_NAME_ID
  const lasting = format === TRANSIENT_NAME_ID ? '' : isEmail ? name.toLowerCase() : name
  const given = attributes.get(SUBJECT_ID)?.[0] ?? lasting
  return {
    subject: given !== '' && given.length <= MAX_SUBJECT_LENGTH ? given : null,
    subjectEmail: isEmail && name !== '' ? name : null,
    attributes,
  }
}

function attributesOf(assertion: Element): Map<string, string[]> {
  const attributes = new Map<string, string[]>()
  const all = children(assertion, ASSERTION, 'AttributeStatement').flatMap((statement) =>
    children(statement, ASSERTION, 'Attribute'),
  )
  for (const each of all) {
    const values = children(each, ASSERTION, 'AttributeValue').map(textOf)
    for (const name of new Set([attribute(each, 'Name'), attribute(each, 'FriendlyName')])) {
      if (name) attributes.set(name, [...(attributes.get(name) ?? []), ...values])
    }
  }
  return attributes
}

function timeOf(element: Element, name: string): Date | null {
  const value = attribute(element, name)
  if (value === null) return null
  const moment = new Date(value)
  return Number.isNaN(moment.getTime()) ? refuse(`${name} is no time`) : moment
}
