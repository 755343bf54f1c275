// An authenticator in software, for the tests of WebAuthn: what a browser would answer to the service's options, with every
// part of it open to be wrong.
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest()

/** As far as the tests look at them. */
export type Options = {
  challenge: string
  rp?: { id?: string }
  rpId?: string
  user?: { id: string }
  allowCredentials?: { id: string }[]
  excludeCredentials?: { id: string }[]
}

/** Faults to put into an answer. */
export type Faults = {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  userHandle?: string
  counter?: number
  key?: KeyObject
  /** Whether the authenticator does without verifying the person, by a PIN or a fingerprint. */
  unverified?: boolean
}

export class Authenticator {
  readonly id = randomBytes(16)
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  private readonly origin: string
  counter = 0
  /** The account that it was registered for, in base64url. */
  private handle = ''

  constructor(origin: string) {
    this.origin = origin
  }

  get privateKey(): KeyObject {
    return this.keys.privateKey
  }

  /** navigator.credentials.create() */
  create(options: Options, faults: Faults = {}) {
    this.handle = options.user?.id ?? ''
    const { x, y } = this.keys.publicKey.export({ format: 'jwk' })
    const coordinate = (value?: string) => new Uint8Array(Buffer.from(value ?? '', 'base64url'))
    const cose = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, coordinate(x)],
      [-3, coordinate(y)],
    ])
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.id.length)
    const credential = [Buffer.alloc(16), length, this.id, Buffer.from(isoCBOR.encode(cose as never))]
    const data = Buffer.concat([this.data(faults.rpId ?? options.rp?.id ?? '', 0x41, faults), ...credential])
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(data)],
    ])
    return {
      ...this.envelope(),
      response: {
        clientDataJSON: this.clientData('webauthn.create', options, faults),
        attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
        transports: ['internal'],
      },
    }
  }

  /** navigator.credentials.get() */
  get(options: Options, faults: Faults = {}) {
    this.counter += 1
    const data = this.data(faults.rpId ?? options.rpId ?? '', 0x01, faults)
    const client = this.clientData('webauthn.get', options, faults)
    const signature = createSign('sha256')
      .update(Buffer.concat([data, sha256(Buffer.from(client, 'base64url'))]))
      .sign(faults.key ?? this.keys.privateKey)
    return {
      ...this.envelope(),
      response: {
        clientDataJSON: client,
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: faults.userHandle ?? this.handle,
      },
    }
  }

  private envelope() {
    const id = this.id.toString('base64url')
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {} }
  }

  private data(rpId: string, flags: number, faults: Faults): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(faults.counter ?? this.counter)
    return Buffer.concat([sha256(rpId), Buffer.from([faults.unverified ? flags : flags | 0x04]), count])
  }

  private clientData(type: string, { challenge }: Options, faults: Faults): string {
    const data = {
      type: faults.type ?? type,
      challenge: faults.challenge ?? challenge,
      origin: faults.origin ?? this.origin,
    }
    return Buffer.from(JSON.stringify(data)).toString('base64url')
  }
}
