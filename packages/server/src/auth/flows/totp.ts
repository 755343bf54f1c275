// Codes of authenticator apps (RFC 6238), with GoTrue's parameters: SHA-1, six digits, thirty seconds, one step of clock
// difference; and the QR code by which an app takes the secret.
import { Secret, TOTP } from 'otpauth'
import { encode } from 'uqr'

const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 } as const
const STEPS_OF_DIFFERENCE = 1
/** Pixels of one module, and modules of the quiet zone that QR codes need around them. */
const MODULE_PX = 3
const QUIET_ZONE = 4

/** A new secret in base32, the address that authenticator apps read, and that as an SVG. */
export function makeTotp(issuer: string, account: string): { secret: string; uri: string; qr_code: string } {
  const secret = new Secret({ size: 20 })
  const uri = new TOTP({ ...PARAMETERS, issuer, label: account, secret }).toString()
  return { secret: secret.base32, uri, qr_code: qrCode(uri) }
}

/** The time step whose code this is, if that is the present step or one next to it; compared in constant time. */
export function totpStepOf(secret: string, code: string): number | null {
  const totp = new TOTP({ ...PARAMETERS, secret: Secret.fromBase32(secret) })
  const timestamp = Date.now()
  const delta = /^\d{6}$/.test(code)
    ? totp.validate({ token: code, timestamp, window: STEPS_OF_DIFFERENCE })
    : null
  return delta === null ? null : totp.counter({ timestamp }) + delta
}

/** Colours by name: clients put the SVG into a data URI, where a # would begin the fragment. */
function qrCode(text: string): string {
  const { data, size } = encode(text, { ecc: 'H', border: QUIET_ZONE })
  const modules = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size * MODULE_PX}" height="${size * MODULE_PX}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path d="M0 0h${size}v${size}H0z" fill="white"/><path d="${modules.join('')}" fill="black"/></svg>`
}
