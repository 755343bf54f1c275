// Every error the Data API can answer but for those about what the schema cache does not know (schema-errors.ts):
// PostgREST's codes, messages, details, hints and HTTP statuses
// (PostgREST 14, "Errors" reference). PostgreSQL's own errors are mapped in database-errors.ts.

export type ErrorBody = {
  code: string
  message: string
  details: unknown
  hint: string | null
}

/** An error with the answer it becomes. */
export class RestError extends Error {
  readonly status: number
  readonly code: string
  readonly details: unknown
  readonly hint: string | null
  readonly headers: Record<string, string>
  /** The text next to the status, if the error's author chose one. */
  statusText?: string

  constructor(
    status: number,
    body: { code: string; message: string; details?: unknown; hint?: string | null },
    headers: Record<string, string> = {},
  ) {
    super(body.message)
    this.status = status
    this.code = body.code
    this.details = body.details ?? null
    this.hint = body.hint ?? null
    this.headers = headers
  }

  body(): ErrorBody {
    return { code: this.code, message: this.message, details: this.details, hint: this.hint }
  }
}

export const schemaCacheMissing = () =>
  new RestError(503, {
    code: 'PGRST002',
    message: 'Could not query the database for the schema cache. Retrying.',
  })

export function databaseAway(cause: Error): RestError {
  const error = new RestError(503, {
    code: 'PGRST001',
    message: 'Database client error. Retrying the connection.',
    details: cause.message,
  })
  error.cause = cause
  return error
}

/** PostgREST answers 504, but a request that waited for a connection may be repeated, and `Retry-After` says when. */
export const poolTimeout = () =>
  new RestError(503, {
    code: 'PGRST003',
    message: 'Timed out acquiring connection from connection pool.',
  })

export const syntaxError = (message: string, details: string) =>
  new RestError(400, { code: 'PGRST100', message, details })

export const invalidRpcMethod = (method: string) =>
  new RestError(405, { code: 'PGRST101', message: `Cannot use the ${method} method on RPC` })

export const invalidBody = (message: string) => new RestError(400, { code: 'PGRST102', message })

export const bodyTooLarge = (limit: number) =>
  new RestError(413, {
    code: 'PGRST102',
    message: 'The request body is too large',
    details: `At most ${limit} bytes are accepted`,
  })

export const uriTooLong = (limit: number) =>
  new RestError(414, {
    code: 'PGRST100',
    message: 'The request URL is too long',
    details: `At most ${limit} characters are accepted`,
  })

export const tooComplex = (rule: string) =>
  new RestError(400, { code: 'PGRST100', message: 'The request is too complex', details: rule })

/** In PostgreSQL's words: PostgREST joins embeds under such an alias. */
export const embeddedTwice = (alias: string) =>
  new RestError(400, {
    code: '42712',
    message: `table name "${alias}" specified more than once`,
    hint: "Give one of the embedded resources a name of its own, as in 'other:clients(*)'.",
  })

export const namedTwice = (name: string) =>
  new RestError(400, {
    code: 'PGRST100',
    message: `'${name}' is selected more than once`,
    details: `A column and an embedded resource cannot both be called '${name}' in the answer`,
    hint: "Give one of them a name of its own, as in 'other:clients(*)'.",
  })

const invalidRange = (details: string, headers: Record<string, string> = {}) =>
  new RestError(416, { code: 'PGRST103', message: 'Requested range not satisfiable', details }, headers)

export const negativeLimit = () => invalidRange('Limit should be greater than or equal to zero.')

export const emptyRange = () =>
  invalidRange('The lower boundary must be lower than or equal to the upper boundary in the Range header.')

export const rangeOutOfBounds = (offset: number, total: number) =>
  invalidRange(`An offset of ${offset} was requested, but there are only ${total} rows.`, {
    'Content-Range': `*/${total}`,
  })

export const invalidPutFilters = () =>
  new RestError(405, {
    code: 'PGRST105',
    message: "Filters must include all and only primary key columns with 'eq' operators",
  })

export const unknownSchema = (schema: string, schemas: readonly string[]) =>
  new RestError(406, {
    code: 'PGRST106',
    message: `Invalid schema: ${schema}`,
    hint: `Only the following schemas are exposed: ${schemas.join(', ')}`,
  })

export const noSuchMediaType = (types: string[]) =>
  new RestError(406, {
    code: 'PGRST107',
    message: `None of these media types are available: ${types.join(', ')}`,
  })

export const notEmbedded = (resource: string) =>
  new RestError(400, {
    code: 'PGRST108',
    message: `'${resource}' is not an embedded resource in this request`,
    hint: `Verify that '${resource}' is included in the 'select' query parameter.`,
  })

export const badResponseHeaders = () =>
  new RestError(500, {
    code: 'PGRST111',
    message:
      'response.headers guc must be a JSON array composed of objects with a single key and a string value',
  })

export const badResponseStatus = () =>
  new RestError(500, {
    code: 'PGRST112',
    message: 'response.status guc must be a valid status code',
  })

export const limitOnPut = () =>
  new RestError(400, {
    code: 'PGRST114',
    message: 'limit/offset querystring parameters are not allowed for PUT',
  })

export const putKeyMismatch = () =>
  new RestError(400, {
    code: 'PGRST115',
    message: 'Payload values do not match URL in primary key column(s)',
  })

export const notSingular = (rows: number) =>
  new RestError(406, {
    code: 'PGRST116',
    message: 'Cannot coerce the result to a single JSON object',
    details: `The result contains ${rows} rows`,
  })

export const unsupportedMethod = (method: string) =>
  new RestError(405, { code: 'PGRST117', message: `Unsupported HTTP method: ${method}` })

export const relatedOrderNotToOne = (origin: string, target: string) =>
  new RestError(400, {
    code: 'PGRST118',
    message: `A related order on '${target}' is not possible`,
    details: `'${origin}' and '${target}' do not form a many-to-one or one-to-one relationship`,
  })

export const badEmbedFilter = (target: string) =>
  new RestError(400, {
    code: 'PGRST120',
    message: `Bad operator on the '${target}' embedded resource`,
    details: 'Only is null or not is null filters are allowed on embedded resources',
  })

export const badRaise = (details: string, hint: string) =>
  new RestError(500, {
    code: 'PGRST121',
    message: 'Could not parse JSON in the "RAISE SQLSTATE \'PGRST\'" error',
    details,
    hint,
  })

export const invalidPreferences = (preferences: string[]) =>
  new RestError(400, {
    code: 'PGRST122',
    message: 'Invalid preferences given with handling=strict',
    details: `Invalid preferences: ${preferences.join(', ')}`,
  })

export const aggregatesOff = () =>
  new RestError(400, {
    code: 'PGRST123',
    message: 'Use of aggregate functions is not allowed',
  })

export const tooManyAffected = (rows: number) =>
  new RestError(400, {
    code: 'PGRST124',
    message: 'Query result exceeds max-affected preference constraint',
    details: `The query affects ${rows} rows`,
  })

export const invalidPath = () =>
  new RestError(404, { code: 'PGRST125', message: 'Invalid path specified in request URL' })

export const openApiOff = () =>
  new RestError(404, { code: 'PGRST126', message: 'Root endpoint metadata is disabled' })

export const notImplemented = (details: string) =>
  new RestError(400, { code: 'PGRST127', message: 'Feature not implemented', details })

export const maxAffectedOnSingle = () =>
  new RestError(400, {
    code: 'PGRST128',
    message: 'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
  })
