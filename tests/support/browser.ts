// A browser that takes pushes: its keys as a PushSubscription has them, and what it reads of what a push service brings it.
import { createECDH, randomBytes } from 'node:crypto'
import ece from 'http_ece'

/** A browser whose push service is at that origin. */
export function newBrowser(pushService = 'https://updates.push.services.mozilla.com') {
  const privateKey = createECDH('prime256v1')
  const authSecret = randomBytes(16)
  privateKey.generateKeys()
  return {
    endpoint: `${pushService}/wpush/v2/${randomBytes(12).toString('hex')}`,
    p256dh: privateKey.getPublicKey('base64url'),
    auth_secret: authSecret.toString('base64url'),
    /** Decrypts a push (RFC 8291); throws when it is for another browser. */
    read: (body: Buffer): unknown =>
      JSON.parse(ece.decrypt(body, { version: 'aes128gcm', privateKey, authSecret }).toString()),
  }
}
