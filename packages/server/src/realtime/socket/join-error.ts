// Why a channel cannot be joined or used, with the codes of Supabase's Realtime
// (https://supabase.com/docs/guides/realtime/error_codes).

export class JoinError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }

  /** The reason that clients read. */
  get reason(): string {
    return `${this.code}: ${this.message}`
  }
}

export function mayNotRead(subTopic: string): JoinError {
  return new JoinError(
    'Unauthorized',
    `You do not have permissions to read from this Channel topic: ${subTopic}`,
  )
}

export function mayNotWrite(subTopic: string): JoinError {
  return new JoinError(
    'Unauthorized',
    `You do not have permissions to write to this Channel topic: ${subTopic}`,
  )
}
