// npm packages that the server needs only for some requests. Each is loaded when it is first needed, which keeps an idle
// server small. In production all that the configuration can need are loaded before the server is ready: from then on
// node_modules may be replaced under it (`npm ci` of the next version).
import type { ConfigFile } from './file.ts'

const LOADERS = {
  nodemailer: () => import('nodemailer'),
  htmlToText: () => import('html-to-text'),
  fileType: () => import('file-type'),
  sharp: () => import('sharp'),
  webauthn: () => import('@simplewebauthn/server'),
  ethereum: () => import('micro-eth-signer'),
  base: () => import('@scure/base'),
  saml: () => import('@node-saml/node-saml'),
  samlXml: () => import('@node-saml/node-saml/lib/xml.js'),
  x509: async () => {
    await import('reflect-metadata')
    return import('@peculiar/x509')
  },
}

type Loaders = typeof LOADERS

const loaded = new Map<keyof Loaders, Promise<unknown>>()

/** The package, loaded once: a second import() would look for its files again. Rejects with Node's error where it is missing. */
export function lazyPackage<Name extends keyof Loaders>(name: Name): ReturnType<Loaders[Name]> {
  const known = loaded.get(name) ?? LOADERS[name]()
  loaded.set(name, known)
  known.catch(() => loaded.delete(name))
  return known as ReturnType<Loaders[Name]>
}

/** The parts of the configuration by which packages are needed or not; `smtp` is null without a mail server. */
type Needs = Pick<ConfigFile, 'auth' | 'storage'> & { smtp: object | null }

/** Loads every package that a server with this configuration can need. Rejects where one is missing. */
export async function loadPackages({ auth, storage, smtp }: Needs): Promise<void> {
  const { passkey, mfa, saml, web3 } = auth
  const needed: [name: keyof Loaders, isNeeded: boolean][] = [
    ['nodemailer', smtp !== null],
    ['htmlToText', smtp !== null],
    ['fileType', storage.enabled],
    ['sharp', storage.enabled && storage.image_transformation.enabled],
    ['webauthn', passkey.enabled || mfa.web_authn.enroll_enabled || mfa.web_authn.verify_enabled],
    ['ethereum', web3.ethereum.enabled],
    ['base', web3.solana.enabled],
    ['saml', saml.enabled],
    ['samlXml', saml.enabled],
    ['x509', saml.enabled],
  ]
  for (const [name, isNeeded] of needed) if (isNeeded) await lazyPackage(name)
}
