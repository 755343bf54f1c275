// Turns a checked assertion into a sign-in: maps its attributes to claims, finds or creates the account that only
// single sign-on uses, and returns a session or a code for one.
import { checkEmail } from '../addresses.ts'
import { AuthError, badRequest } from '../errors.ts'
import { afterUserCreated } from '../hooks/user-created.ts'
import type { AuthService, Origin } from '../service.ts'
import { completeFlow } from '../store/saml-relay-states.ts'
import { type AttributeMapping, type SsoProvider, ssoName } from '../store/sso-providers.ts'
import { spendProof } from '../store/used-proofs.ts'
import type { Metadata } from '../store/users.ts'
import { signInExternally } from './external-identities.ts'
import type { Assertion } from './saml-responses.ts'
import { startSession, type TokenResponse } from './sessions.ts'

/** GoTrue's claims; other names of a mapping are among `custom_claims`. */
const CLAIMS = new Set(
  (
    'iss sub aud iat exp name family_name given_name middle_name nickname preferred_username profile picture website ' +
    'gender birthdate zoneinfo locale updated_at email email_verified phone phone_verified avatar_url full_name ' +
    'provider_id slug user_name'
  ).split(' '),
)

/** Where providers keep the e-mail address, unless a mapping says where. */
const EMAIL_ATTRIBUTES = [
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'http://schemas.xmlsoap.org/claims/EmailAddress',
  'mail',
  'Mail',
  'email',
]

/**
 * Signs the person of an assertion in: answers the session, or the code that ends the PKCE flow `flowId`. Throws
 * saml_assertion_no_user_id, saml_assertion_no_email, validation_failed for an assertion that was used before or an
 * address that is none, and what `signInExternally` throws.
 */
export async function signInByAssertion(
  service: AuthService,
  provider: SsoProvider,
  assertion: Assertion,
  flowId: string | null,
  origin: Origin,
): Promise<TokenResponse | { code: string }> {
  const { subject } = assertion
  if (subject === null) {
    throw badRequest(
      'saml_assertion_no_user_id',
      'SAML Assertion did not contain a persistent Subject Identifier attribute or Subject NameID uniquely identifying this user',
    )
  }
  const { email, data } = claimsOf(provider, assertion, subject)
  const outcome = await service.database.transaction(async (client) => {
    if (!(await spendProof(client, ['saml', provider.id, assertion.id], assertion.expiresAt))) {
      throw badRequest('validation_failed', 'SAML Assertion is not valid: it has been used already')
    }
    const signedIn = await signInExternally(
      client,
      service,
      {
        provider: ssoName(provider),
        providerId: subject,
        emails: [{ address: email, verified: true, primary: true }],
        data,
      },
      origin,
    )
    if (signedIn instanceof AuthError) return signedIn
    const { id } = signedIn.user
    const created = signedIn.created ? id : null
    if (flowId) {
      return { answer: { code: await completeFlow(client, flowId, id, assertion.notAfter) }, created }
    }
    const session = await startSession(client, service, id, 'sso/saml', origin, {
      notAfter: assertion.notAfter,
    })
    return { answer: session, created }
  })
  if (outcome instanceof AuthError) throw outcome
  const { answer, created } = outcome
  if (created) {
    service.log.info({ user: created, provider: ssoName(provider) }, 'a sign-up')
    await afterUserCreated(service, created, origin.ip)
  }
  return answer
}

/** The person's address and what is kept of the assertion. Throws saml_assertion_no_email. */
function claimsOf(
  { saml }: SsoProvider,
  assertion: Assertion,
  subject: string,
): { email: string; data: Metadata } {
  const mapped = Object.entries(mapAttributes(assertion.attributes, saml.attribute_mapping ?? {}))
  const claims = Object.fromEntries(mapped.filter(([name]) => CLAIMS.has(name)))
  const email = typeof claims.email === 'string' && claims.email !== '' ? claims.email : emailOf(assertion)
  if (!email) {
    throw badRequest('saml_assertion_no_email', 'SAML Assertion does not contain an email address')
  }
  return {
    email: checkEmail(email),
    data: {
      phone_verified: false,
      ...claims,
      sub: subject,
      iss: saml.entity_id,
      email: checkEmail(email),
      email_verified: true,
      custom_claims: Object.fromEntries(mapped.filter(([name]) => !CLAIMS.has(name))),
    },
  }
}

function mapAttributes(attributes: Assertion['attributes'], { keys = {} }: AttributeMapping): Metadata {
  const claims: Metadata = {}
  for (const [claim, { name = '', names = [], default: otherwise, array = false }] of Object.entries(keys)) {
    const values = [name, ...names]
      .map((each) => (attributes.get(each) ?? []).filter((value) => value !== ''))
      .find(({ length }) => length > 0)
    const value = array ? values : values?.[0]
    if (value !== undefined) claims[claim] = value
    else if (otherwise !== undefined && otherwise !== null) claims[claim] = otherwise
  }
  return claims
}

const emailOf = ({ attributes, subjectEmail }: Assertion): string | null =>
  EMAIL_ATTRIBUTES.flatMap((name) => attributes.get(name) ?? []).find((value) => value !== '') ?? subjectEmail
