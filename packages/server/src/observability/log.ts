// The server's log: one JSON object a line on standard error, without secrets and without what a row or a message held.
import pino from 'pino'
import { redactor } from '../config/redact.ts'

export interface LogOptions {
  level: pino.LevelWithSilent
  /** Values that no line may have in it. */
  secrets: readonly (string | null | undefined)[]
  /** Where lines go; standard error by default. */
  destination?: pino.DestinationStream
}

/** Makes it. */
export function createLog({ level, secrets, destination }: LogOptions): pino.Logger {
  const options: pino.LoggerOptions = {
    level,
    base: undefined,
    serializers: { err: describeError, error: describeError },
    hooks: { streamWrite: redactor(secrets) },
  }
  return pino(options, destination ?? pino.destination({ fd: 2, sync: false }))
}

/**
 * Logged fields of an error, in addition to message and stack. Left out: PostgreSQL's `detail`, which repeats rows,
 * addresses in a mail server's answer, and the request in a client library's error.
 */
const LOGGED_FIELDS = [
  ...['code', 'errno', 'syscall', 'address', 'port', 'status', 'statusCode', 'responseCode', 'command'],
  ...[
    'severity',
    'hint',
    'position',
    'where',
    'schema',
    'table',
    'column',
    'dataType',
    'constraint',
    'routine',
  ],
]

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { type, message, stack } = pino.stdSerializers.err(error)
  const logged: Record<string, unknown> = { type, message, stack }
  for (const name of LOGGED_FIELDS) {
    const value = (error as unknown as Record<string, unknown>)[name]
    if (['string', 'number', 'boolean'].includes(typeof value)) logged[name] = value
  }
  if (error instanceof AggregateError) logged.aggregateErrors = error.errors.map(describeError)
  return logged
}
