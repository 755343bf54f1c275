// Serialization of messages: Phoenix's serializers 1.0.0 (a JSON object) and 2.0.0 (a JSON array, and binary frames for
// broadcasts), as https://hexdocs.pm/phoenix/writing_a_channels_client.html and realtime-js's serializer have them.
import { NestingError, parseJson } from '../../http/json.ts'

export type Version = '1.0.0' | '2.0.0'

/** A client's number for its message; replies repeat it. */
export type Ref = string | number | null

export interface Incoming {
  joinRef: Ref
  ref: Ref
  topic: string
  event: string
  /** The JSON object of the message, or a broadcast that came as a binary frame. */
  payload: Record<string, unknown> | UserBroadcast
  /** Bytes of the whole message. */
  size: number
}

/** A broadcast: `payload` is JSON text in UTF-8, or the sender's own bytes. */
export class UserBroadcast {
  readonly event: string
  readonly encoding: 'json' | 'binary'
  readonly payload: Buffer
  /** Set by the server. */
  readonly meta: Record<string, unknown> | null
  /** Further fields that the sender put next to event and payload; only JSON can carry them. */
  readonly rest: Record<string, unknown> | null

  constructor(
    event: string,
    encoding: 'json' | 'binary',
    payload: Buffer,
    meta: Record<string, unknown> | null = null,
    rest: Record<string, unknown> | null = null,
  ) {
    this.event = event
    this.encoding = encoding
    this.payload = payload
    this.meta = meta
    this.rest = rest
  }
}

/** A message as encoded for sockets of one version. */
export interface Frame {
  data: Buffer
  binary: boolean
}

/** The frame is malformed; `message` names the part and the rule (under 120 bytes). */
export class FrameError extends Error {}

const USER_BROADCAST_PUSH = 3
const USER_BROADCAST = 4
const JSON_ENCODING = 1
const MAX_FIELD_BYTES = 255

/** The version that the `vsn` parameter asks for, 1.0.0 when there is none; null for one that does not exist. */
export function negotiateVersion(vsn: string | null): Version | null {
  if (vsn === null || /^1\.0\.\d+$/.test(vsn)) return '1.0.0'
  return /^2\.0\.\d+$/.test(vsn) ? '2.0.0' : null
}

/** Decodes one message. Throws FrameError. */
export function decode(data: Buffer, binary: boolean, version: Version): Incoming {
  if (binary) {
    if (version === '1.0.0') throw new FrameError('frame: version 1.0.0 has no binary messages')
    return decodeBinary(data)
  }
  let message: unknown
  try {
    message = parseJson(data.toString('utf8'))
  } catch (error) {
    throw new FrameError(`frame: ${error instanceof NestingError ? error.message : 'must be JSON'}`)
  }
  if (version === '1.0.0') {
    if (!isObject(message)) throw new FrameError('frame: must be a JSON object')
    const { join_ref, ref, topic, event, payload } = message
    return validated([join_ref, ref, topic, event, payload], data.length)
  }
  if (!Array.isArray(message) || message.length < 5) {
    throw new FrameError('frame: must be [join_ref, ref, topic, event, payload]')
  }
  return validated(message, data.length)
}

function validated([joinRef, ref, topic, event, payload]: unknown[], size: number): Incoming {
  if (typeof topic !== 'string') throw new FrameError('topic: must be a text')
  if (typeof event !== 'string') throw new FrameError('event: must be a text')
  if (payload !== undefined && payload !== null && !isObject(payload)) {
    throw new FrameError('payload: must be an object')
  }
  return {
    joinRef: asRef('join_ref', joinRef),
    ref: asRef('ref', ref),
    topic,
    event,
    payload: payload ?? {},
    size,
  }
}

function asRef(name: string, value: unknown): Ref {
  if (value === undefined || value === null) return null
  if (typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_FIELD_BYTES))
    return value
  throw new FrameError(`${name}: must be a text of at most ${MAX_FIELD_BYTES} characters`)
}

/** Kind, six lengths, then join_ref, ref, topic, event, metadata, and the payload to the end. */
function decodeBinary(data: Buffer): Incoming {
  if (data[0] !== USER_BROADCAST_PUSH) throw new FrameError('frame: binary messages must be of kind 3')
  if (data.length < 7) throw new FrameError('frame: its header is cut short')
  const encoding = data[6] === JSON_ENCODING ? 'json' : 'binary'
  let offset = 7
  const [joinRef = '', ref = '', topic = '', event = '', metadata = ''] = [...data.subarray(1, 6)].map(
    (size) => {
      const start = offset
      offset += size
      return data.toString('utf8', start, offset)
    },
  )
  if (offset > data.length) throw new FrameError('frame: shorter than its header says')
  // A copy: the frame's memory is the socket's.
  const payload = Buffer.from(data.subarray(offset))
  if (encoding === 'json' && !isJson(payload)) throw new FrameError('payload: must be JSON')
  const meta = metadata === '' ? {} : jsonOrUndefined(metadata)
  if (!isObject(meta)) throw new FrameError('metadata: must be a JSON object')
  return {
    joinRef: joinRef || null,
    ref: ref || null,
    topic,
    event: 'broadcast',
    payload: new UserBroadcast(event, encoding, payload),
    size: data.length,
  }
}

/** Encodes a message whose `payload` is JSON text already. Version 1.0.0 leaves `joinRef` out. */
export function encode(
  version: Version,
  joinRef: Ref,
  ref: Ref,
  topic: string,
  event: string,
  payload: string,
): Frame {
  const head = JSON.stringify(topic)
  const text =
    version === '1.0.0'
      ? `{"topic":${head},"event":"${event}","payload":${payload},"ref":${JSON.stringify(ref)}}`
      : `[${JSON.stringify(joinRef)},${JSON.stringify(ref)},${head},"${event}",${payload}]`
  return { data: Buffer.from(text), binary: false }
}

/** Encodes a broadcast; null when that version cannot carry it (bytes in 1.0.0). */
export function encodeBroadcast(version: Version, topic: string, message: UserBroadcast): Frame | null {
  const { event, encoding, payload, meta, rest } = message
  const fields = [topic, event, meta ? JSON.stringify(meta) : ''].map((text) => Buffer.from(text))
  if (version === '2.0.0' && !rest && fields.every(({ length }) => length <= MAX_FIELD_BYTES)) {
    const lengths = fields.map(({ length }) => length)
    const head = Buffer.from([USER_BROADCAST, ...lengths, encoding === 'json' ? JSON_ENCODING : 0])
    return { data: Buffer.concat([head, ...fields, payload]), binary: true }
  }
  if (encoding === 'binary') return null
  const text = JSON.stringify({ ...rest, type: 'broadcast', event, ...(meta && { meta }) })
  return encode(version, null, null, topic, 'broadcast', `${text.slice(0, -1)},"payload":${payload}}`)
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isJson(data: Buffer): boolean {
  return jsonOrUndefined(data.toString('utf8')) !== undefined
}

/** Undefined when it is not JSON. */
function jsonOrUndefined(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
