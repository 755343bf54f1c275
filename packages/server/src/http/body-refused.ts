// Why a body is not read, or not to its end, and with which status that is answered.

/** Seconds after which it is worth while to ask again. */
const RETRY_AFTER_SECONDS = 5

const REASONS = {
  large: [413, 'The request body is too large'],
  chunks: [413, 'The request body comes in too many small pieces'],
  slow: [408, 'The request body came too slowly'],
  address: [429, 'Too many request bodies are being read from your address; try again in a few seconds'],
  all: [503, 'Too many request bodies are being read; try again in a few seconds'],
} as const

export type Reason = keyof typeof REASONS

/** A body is not read, or not to its end. The connection cannot carry another request. */
export class BodyRefused extends Error {
  readonly status: 408 | 413 | 429 | 503
  /** To be put on the answer. */
  readonly headers: Record<string, string>
  readonly reason: Reason

  constructor(reason: Reason) {
    const [status, message] = REASONS[reason]
    super(message)
    this.reason = reason
    this.status = status
    this.headers = {
      connection: 'close',
      ...(status === 429 || status === 503 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {}),
    }
  }
}

/** The sender went away before its end: nobody reads an answer. */
export class BodyCutOff extends Error {
  constructor() {
    super('The request body was cut off')
  }
}
