// [auth.saml]: single sign-on by SAML 2.0, with the settings of the auth service (GOTRUE_SAML_…) in the form of config.toml.
import { createPrivateKey } from 'node:crypto'
import { duration, flag, integer, optionalText, table } from './values.ts'

const HOW = 'openssl genrsa -traditional 2048 | openssl rsa -traditional -outform der | base64 -w0'

/** Whether a text is what the auth service takes as its key: RSA of 2048 bits at least, in PKCS #1, as Base64. */
function isPrivateKey(value: string): boolean {
  try {
    const key = createPrivateKey({ key: Buffer.from(value, 'base64'), format: 'der', type: 'pkcs1' })
    const { modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {}
    return modulusLength >= 2048 && publicExponent === 65_537n
  } catch {
    return false
  }
}

export const saml = table({
  enabled: flag.default(false),
  /** Signs requests; identity providers know its certificate by the metadata. */
  private_key: optionalText.refine((value) => value === undefined || isPrivateKey(value), {
    error: `must be an RSA key of 2048 bits or more in PKCS #1, as Base64: ${HOW}`,
  }),
  /** Whether identity providers may encrypt what they say, to the certificate of the metadata. */
  allow_encrypted_assertions: flag.default(false),
  /** Seconds that somebody may stay at the identity provider. */
  relay_state_validity_period: duration.prefault('2m'),
  /** Sign-ins that come back from identity providers to one address, in five minutes. */
  rate_limit_assertion: integer(0, 1_000_000).default(30),
}).refine(({ enabled, private_key: key }) => !enabled || key !== undefined, {
  path: ['private_key'],
  error: `must be set where SAML is enabled: ${HOW}`,
})
