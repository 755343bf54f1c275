// Why a calendar could not be read. The codes are those of public.imported_calendars.error.

export type FailureCode =
  | 'unreachable'
  | 'not_public'
  | 'not_found'
  | 'too_slow'
  | 'too_large'
  | 'not_a_calendar'
  | 'too_many_events'

export class ReadFailure extends Error {
  readonly code: FailureCode

  constructor(code: FailureCode, cause?: unknown) {
    super(code, { cause })
    this.code = code
  }
}
