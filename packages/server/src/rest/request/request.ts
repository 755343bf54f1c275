// One HTTP request as the Data API understands it: target, method, schema, query, preferences, media types.
// Reference: PostgREST 14, "API" references; checks come in PostgREST's order.
import {
  invalidPath,
  invalidRpcMethod,
  unknownSchema,
  unsupportedMethod,
  uriTooLong,
} from '../errors/errors.ts'
import { type Payload, readBody } from './body.ts'
import { MAX_URL } from './limits.ts'
import { type MediaType, readAccept, readMediaType } from './media.ts'
import { parseColumns } from './names.ts'
import { type Preferences, readPreferences } from './preferences.ts'
import { decode, type Query, readQuery } from './query.ts'
import { type RowRange, readRange } from './range.ts'

type Target = { kind: 'root' } | { kind: 'table'; name: string } | { kind: 'function'; name: string }

/** The incoming request; header names are in lower case. */
export type Incoming = {
  method: string
  /** Behind the mount point, still encoded: `/tasks`, `/rpc/total`. */
  path: string
  /** Without its `?`. */
  query: string
  headers: Record<string, string | undefined>
  body: Buffer
}

export type RestRequest = {
  method: string
  path: string
  target: Target
  schema: string
  /** The schema was chosen among several, so the answer names it. */
  negotiated: boolean
  headers: Record<string, string | undefined>
  query: Query
  range: RowRange
  preferences: Preferences
  accept: readonly MediaType[]
  contentType: MediaType
  payload: Payload | null
}

export type RequestSettings = {
  schemas: readonly string[]
  allowTx: boolean
  /** The function that answers for the root. */
  rootSpec: string | null
}

const JSON_TYPE: MediaType = { kind: 'json' }
const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
const METHODS: Record<Target['kind'], readonly string[]> = {
  root: ['GET', 'HEAD', 'OPTIONS'],
  table: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  function: ['GET', 'HEAD', 'POST', 'OPTIONS'],
}

/** Throws PGRST100 to PGRST103, PGRST106, PGRST114, PGRST117, PGRST122 or PGRST125. */
export function readRequest(incoming: Incoming, settings: RequestSettings): RestRequest {
  const { method, headers } = incoming
  if (incoming.path.length + incoming.query.length > MAX_URL) throw uriTooLong(MAX_URL)
  const target = readTarget(incoming.path, settings.rootSpec)
  const { schema, negotiated } = readSchema(method, headers, settings.schemas)
  if (!METHODS[target.kind].includes(method)) {
    throw target.kind === 'function' ? invalidRpcMethod(method) : unsupportedMethod(method)
  }
  const forFunction = target.kind === 'function'
  const query = readQuery(incoming.query, forFunction && method !== 'POST')
  const range = readRange(method, headers.range, query)
  const type = headers['content-type']
  const contentType = type === undefined ? JSON_TYPE : readMediaType(type)
  const takesBody = method === 'PUT' || method === 'PATCH' || (method === 'POST' && target.kind !== 'root')
  const columns = method === 'PUT' || query.columns === null ? null : parseColumns(query.columns, 'columns')
  const payload = takesBody
    ? readBody({ body: incoming.body, type: contentType, columns, forFunction })
    : null
  if (payload?.kind === 'arguments') takeArguments(query, payload.pairs)
  return {
    method,
    path: incoming.path,
    target,
    schema,
    negotiated,
    headers,
    query,
    range,
    preferences: readPreferences(headers.prefer, settings.allowTx),
    accept: readAccept(headers.accept),
    contentType,
    payload,
  }
}

function readTarget(path: string, rootSpec: string | null): Target {
  const parts = path.split('/').filter((part) => part !== '')
  const [first, second] = parts
  if (first === undefined) return rootSpec === null ? { kind: 'root' } : { kind: 'function', name: rootSpec }
  if (parts.length === 1) return { kind: 'table', name: decode(first) }
  if (parts.length === 2 && first === 'rpc') return { kind: 'function', name: decode(second as string) }
  throw invalidPath()
}

function readSchema(
  method: string,
  headers: Record<string, string | undefined>,
  schemas: readonly string[],
): { schema: string; negotiated: boolean } {
  const profile = headers[WRITES.has(method) ? 'content-profile' : 'accept-profile']
  if (profile === undefined) return { schema: schemas[0] as string, negotiated: schemas.length > 1 }
  if (!schemas.includes(profile)) throw unknownSchema(profile, schemas)
  return { schema: profile, negotiated: true }
}

/** A form's fields become arguments like those of a query string. */
function takeArguments(query: Query, pairs: [string, string][]): void {
  for (const [name, text] of pairs) {
    query.arguments.push({ name, value: query.values.push(text) - 1 })
    query.shape += `&${name}=`
  }
}
