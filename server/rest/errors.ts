// Every error the Data API can answer: PostgREST's codes, messages, details, hints and HTTP statuses
// (PostgREST 14, "Errors" reference). PostgreSQL's own errors are mapped in sql-errors.ts.
import { closest, closestName } from './hints.ts'

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
  /** What stands beside the status, where whoever raised the error chose it. */
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

export const databaseAway = (details: string | null) =>
  new RestError(503, {
    code: 'PGRST001',
    message: 'Database client error. Retrying the connection.',
    details,
  })

export const poolTimeout = () =>
  new RestError(504, {
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

/** `parents` and `children` are the names to suggest from; `children` is null when the parent is unknown. */
export function noRelationship(options: {
  parent: string
  child: string
  hint: string | undefined
  schema: string
  parents: string[]
  children: string[] | null
}): RestError {
  const { parent, child, hint, schema, parents, children } = options
  // A child that is known exactly means that the embedding hint was wrong: nothing to suggest then.
  const suggestion =
    children === null
      ? closestName(parents, parent)
      : children.includes(child)
        ? closest(children, child).find((found) => found.score < 1)?.name
        : closest(children, child)[0]?.name
  const misspelled = children === null ? parent : child
  return new RestError(400, {
    code: 'PGRST200',
    message: `Could not find a relationship between '${parent}' and '${child}' in the schema cache`,
    details:
      `Searched for a foreign key relationship between '${parent}' and '${child}` +
      `${hint === undefined ? '' : `' using the hint '${hint}`}' in the schema '${schema}', but no matches were found.`,
    hint: suggestion === undefined ? null : `Perhaps you meant '${suggestion}' instead of '${misspelled}'.`,
  })
}

export type RelationshipSummary = {
  cardinality: string
  embedding: string
  relationship: string
  name: string
}

export function ambiguousRelationship(
  parent: string,
  child: string,
  found: RelationshipSummary[],
): RestError {
  const names = found.map(({ name }) => `'${name}'`).join(', ')
  return new RestError(300, {
    code: 'PGRST201',
    message: `Could not embed because more than one relationship was found for '${parent}' and '${child}'`,
    details: found.map(({ cardinality, embedding, relationship }) => ({
      cardinality,
      embedding,
      relationship,
    })),
    hint: `Try changing '${child}' to one of the following: ${names}. Find the desired relationship in the 'details' key.`,
  })
}

/** `raw` is the type of a body passed whole (text, xml, bytea), where the function needs one such parameter. */
export function noFunction(options: {
  schema: string
  name: string
  names: string[]
  raw: string | undefined
  json: boolean
  functions: string[]
  overloads: string[][]
}): RestError {
  const { schema, name, names, raw, json, functions, overloads } = options
  const list = names.join(', ')
  const described = names.length === 0 ? ' without parameters' : undefined
  const searched = raw
    ? ` with a single unnamed ${raw} parameter`
    : (described ?? ` with parameter${names.length > 1 ? 's' : ''} ${list}`) +
      (json ? ' or with a single unnamed json/jsonb parameter' : '')
  return new RestError(404, {
    code: 'PGRST202',
    message:
      `Could not find the function ${schema}.${name}${raw ? '' : (described ?? `(${list})`)} ` +
      'in the schema cache',
    details: `Searched for the function ${schema}.${name}${searched}, but no matches were found in the schema cache.`,
    hint: raw ? null : functionHint(schema, name, names, functions, overloads),
  })
}

function functionHint(
  schema: string,
  name: string,
  names: string[],
  functions: string[],
  overloads: string[][],
): string | null {
  const list = (parameters: string[]) => `(${[...parameters].sort().join(', ')})`
  const found =
    overloads.length === 0
      ? closestName(functions, name, 0.75)
      : closestName(overloads.map(list), list(names))?.replace(/^/, name)
  return found === undefined ? null : `Perhaps you meant to call the function ${schema}.${found}`
}

export const ambiguousFunction = (signatures: string[]) =>
  new RestError(300, {
    code: 'PGRST203',
    message: `Could not choose the best candidate function between: ${signatures.join(', ')}`,
    hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
  })

export const noColumn = (table: string, column: string) =>
  new RestError(400, {
    code: 'PGRST204',
    message: `Could not find the '${column}' column of '${table}' in the schema cache`,
  })

export function noTable(schema: string, name: string, tables: string[]): RestError {
  const found = closestName(tables, name, 0.75)
  return new RestError(404, {
    code: 'PGRST205',
    message: `Could not find the table '${schema}.${name}' in the schema cache`,
    hint: found === undefined ? null : `Perhaps you meant the table '${schema}.${found}'`,
  })
}
