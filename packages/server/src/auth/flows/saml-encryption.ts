// Assertions that identity providers encrypt to the certificate of our metadata (XML Encryption 1.1): which of them are
// looked into, and their decryption by the library.
import { lazyPackage } from '../../config/lazy-packages.ts'
import type { AuthService } from '../service.ts'
import { signingKey } from './saml-service-provider.ts'
import { attribute, descendants, ENCRYPTION, parseMessage } from './saml-xml.ts'

const OAEP = ['http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p', 'http://www.w3.org/2009/xmlenc11#rsa-oaep']
const AES = /^http:\/\/www\.w3\.org\/(2009\/xmlenc11#aes(128|256)-gcm|2001\/04\/xmlenc#aes(128|256)-cbc)$/

/** Why nothing in the response is decrypted; null for content encrypted by AES with a key that RSA-OAEP encloses. */
export function encryptionError({ settings }: AuthService, response: Element): string | null {
  if (!settings.saml.allow_encrypted_assertions) return 'its assertion is encrypted, which is not switched on'
  const methods = descendants(response, ENCRYPTION, 'EncryptionMethod').map(
    (method) => attribute(method, 'Algorithm') ?? '',
  )
  const known = methods.every((method) => OAEP.includes(method) || AES.test(method))
  return known && methods.some((method) => OAEP.includes(method))
    ? null
    : 'its assertion is encrypted by another algorithm than AES with RSA-OAEP'
}

/** Decrypts an EncryptedAssertion; its content is not verified yet. Throws if it is not encrypted for this server. */
export async function decrypt(service: AuthService, encrypted: Element): Promise<Element> {
  const [{ decryptXml }, { key }] = await Promise.all([lazyPackage('samlXml'), signingKey(service)])
  return parseMessage(await decryptXml(String(encrypted), key))
}
