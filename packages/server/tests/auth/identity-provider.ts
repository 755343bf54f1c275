// An identity provider of SAML 2.0: reads and checks our requests with another library than the server's, and gives
// the answers of the test, signed with its own keys.
import 'reflect-metadata'
import { randomBytes, webcrypto } from 'node:crypto'
import { X509CertificateGenerator } from '@peculiar/x509'
import { IdentityProvider, SamlLib, ServiceProvider, setSchemaValidator } from 'samlify'

// The library leaves the check against the schema of SAML to its users; none here is needed to sign or to read.
setSchemaValidator({ validate: () => Promise.resolve('not checked') })

const SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
export const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'

/** Our end, by its metadata. */
export type Ours = { metadata: string; entityId: string; acsUrl: string }

/** The content of an answer; omitted fields are correct. */
export type Contents = {
  subject?: string
  format?: string
  email?: string
  attributes?: Record<string, string[]>
  /** Null for an answer to nobody's request. */
  inResponseTo?: string | null
  confirmedInResponseTo?: string | null
  issuer?: string
  assertionIssuer?: string
  audience?: string
  recipient?: string
  destination?: string
  status?: string
  /** Minutes from now. */
  issued?: number
  expires?: number
  sessionEnds?: Date
  assertionId?: string
  sign?: 'assertion' | 'response' | 'nothing'
  algorithm?: string
  key?: string
}

const random = () => `_${randomBytes(16).toString('hex')}`
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const escapeXml = (text: string) => text.replace(/[&<"]/g, (each) => `&#${each.charCodeAt(0)};`)
const optional = (name: string, value: string | null) =>
  value === null ? '' : ` ${name}="${escapeXml(value)}"`

export type Keys = { key: string; certificate: string }

export type Provider = ReturnType<typeof identityProvider>

/** Makes a provider that signs with these keys. */
export function identityProvider(entityId: string, { key, certificate }: Keys) {
  const signOnUrl = `${entityId}/sign-on`
  const bare = certificate.replace(/-----[^-]+-----|\s/g, '')

  /** Its metadata; `attributes` are added to the root. */
  const metadata = (attributes = '') =>
    `<?xml version="1.0"?><!-- kept by Sam -->
<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}" ${attributes}>
  <IDPSSODescriptor WantAuthnRequestsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">
      <ds:X509Data><ds:X509Certificate>${bare}</ds:X509Certificate></ds:X509Data>
    </ds:KeyInfo></KeyDescriptor>
    <NameIDFormat>${PERSISTENT}</NameIDFormat>
    <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${signOnUrl}"/>
  </IDPSSODescriptor>
</EntityDescriptor>`

  const itself = IdentityProvider({ metadata: metadata() })

  return {
    entityId,
    signOnUrl,
    key,
    metadata,

    /** The request that a browser brings, once its signature was checked. */
    async read(url: string, { metadata: theirs }: Ours) {
      const query = Object.fromEntries(new URL(url).searchParams)
      const octetString = new URL(url).search.slice(1).replace(/&Signature=.*$/, '')
      const { extract } = await itself.parseLoginRequest(ServiceProvider({ metadata: theirs }), 'redirect', {
        query,
        octetString,
      })
      return { id: extract.request?.id as string, extract, relayState: query.RelayState ?? '' }
    },

    /** The XML of an answer, signed. */
    answer(ours: Ours, contents: Contents = {}): string {
      const { sign = 'assertion', inResponseTo = null, email = 'grace@example.com', issued = 0 } = contents
      const confirmed =
        contents.confirmedInResponseTo === undefined ? inResponseTo : contents.confirmedInResponseTo
      const issuer = contents.issuer ?? entityId
      const expires = inMinutes(contents.expires ?? 5)
      const attributes = Object.entries({ mail: email === '' ? [] : [email], ...contents.attributes })
        .map(
          ([name, values]) =>
            `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${escapeXml(value)}</saml:AttributeValue>`).join('')}</saml:Attribute>`,
        )
        .join('')
      const sessionEnds = contents.sessionEnds?.toISOString() ?? null
      const xml =
        `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${random()}" Version="2.0" IssueInstant="${inMinutes(issued)}" Destination="${contents.destination ?? ours.acsUrl}"${optional('InResponseTo', inResponseTo)}>` +
        `<saml:Issuer>${issuer}</saml:Issuer>` +
        `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${contents.status ?? 'Success'}"/></samlp:Status>` +
        `<saml:Assertion ID="${contents.assertionId ?? random()}" Version="2.0" IssueInstant="${inMinutes(issued)}">` +
        `<saml:Issuer>${contents.assertionIssuer ?? issuer}</saml:Issuer>` +
        `<saml:Subject><saml:NameID Format="${contents.format ?? PERSISTENT}">${escapeXml(contents.subject ?? 'grace-1')}</saml:NameID>` +
        `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData Recipient="${contents.recipient ?? ours.acsUrl}" NotOnOrAfter="${expires}"${optional('InResponseTo', confirmed)}/></saml:SubjectConfirmation></saml:Subject>` +
        `<saml:Conditions NotBefore="${inMinutes(issued - 1)}" NotOnOrAfter="${expires}"><saml:AudienceRestriction><saml:Audience>${contents.audience ?? ours.entityId}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
        `<saml:AuthnStatement AuthnInstant="${inMinutes(issued)}"${optional('SessionNotOnOrAfter', sessionEnds)}><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
        `<saml:AttributeStatement>${attributes}</saml:AttributeStatement>` +
        `</saml:Assertion></samlp:Response>`
      if (sign === 'nothing') return xml
      const signed = SamlLib.constructSAMLSignature({
        rawSamlMessage: xml,
        isMessageSigned: sign === 'response',
        isBase64Output: false,
        ...(sign === 'assertion'
          ? { referenceTagXPath: "/*[local-name(.)='Response']/*[local-name(.)='Assertion']" }
          : {}),
        signatureConfig: {
          prefix: 'ds',
          location: {
            reference: `/*[local-name(.)='Response']${sign === 'assertion' ? "/*[local-name(.)='Assertion']" : ''}/*[local-name(.)='Issuer']`,
            action: 'after',
          },
        },
        signatureAlgorithm: contents.algorithm ?? SHA256,
        privateKey: contents.key ?? key,
        signingCert: bare,
      })
      return signed
    },
  }
}

const OAEP = 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p'
const AES_256_GCM = 'http://www.w3.org/2009/xmlenc11#aes256-gcm'

/** The answer with its assertion encrypted to the certificate of our metadata. */
export async function encrypted(
  xml: string,
  ours: Ours,
  { data = AES_256_GCM, key = OAEP } = {},
): Promise<string> {
  const receiver = ServiceProvider({ metadata: ours.metadata })
  const sender = {
    entityMeta: receiver.entityMeta,
    entitySetting: {
      isAssertionEncrypted: true,
      dataEncryptionAlgorithm: data,
      keyEncryptionAlgorithm: key,
      tagPrefix: { encryptedAssertion: 'saml' },
    },
  }
  return Buffer.from(await SamlLib.encryptAssertion(sender, receiver, xml), 'base64').toString()
}

/** An RSA key and its certificate, in PEM. */
export async function newKeys(): Promise<Keys> {
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned(
    { name: 'CN=Sam', keys: keys as CryptoKeyPair, signingAlgorithm: algorithm },
    webcrypto as Crypto,
  )
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  const lines = Buffer.from(pkcs8)
    .toString('base64')
    .match(/.{1,64}/g) as string[]
  return {
    key: `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`,
    certificate: certificate.toString('pem'),
  }
}
