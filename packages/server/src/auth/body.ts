// Parses request bodies: JSON objects whose fields have the types that an endpoint names, and whose text PostgreSQL
// can store. Everything else is a 400 that names the field and the rule.
import { z } from 'zod'
import { parseJson } from '../http/json.ts'
import { badRequest, invalid } from './errors.ts'

const MAX_DEPTH = 32

/** Text; missing and null count as empty, as they do for GoTrue's clients. */
export const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')

/** A boolean with a default for missing and null. */
export const flag = (otherwise: boolean) =>
  z
    .boolean()
    .nullish()
    .transform((value) => value ?? otherwise)

/** A JSON object, or null when missing. */
export const object = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((value) => value ?? null)

/** The two fields with which a client starts a PKCE flow. */
export const challenge = { code_challenge: text, code_challenge_method: text }

/**
 * A request's body as `shape` describes it. Throws bad_json for a body that is no JSON object or has a field of another
 * type, validation_failed for text with NUL characters or lone surrogates and for nesting over 32 levels.
 */
export function parseBody<Shape extends z.ZodType>(raw: string, shape: Shape): z.output<Shape> {
  let value: unknown
  try {
    value = parseJson(raw)
  } catch (error) {
    throw badRequest('bad_json', `Could not parse request body as JSON: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('bad_json', 'Could not parse request body as JSON: the body must be an object')
  }
  refuseUnstorable(value, 'body', 0)
  const parsed = shape.safeParse(value)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const field = issue?.path.join('.') || 'body'
    throw badRequest('bad_json', `Could not parse request body as JSON: ${field}: ${issue?.message}`)
  }
  return parsed.data
}

/** PostgreSQL stores neither NUL nor half a surrogate pair, and fails on documents that are nested too deeply. */
function refuseUnstorable(value: unknown, path: string, depth: number): void {
  if (depth > MAX_DEPTH) throw invalid(`${path} is nested too deeply (at most ${MAX_DEPTH} levels)`)
  if (typeof value === 'string') refuseText(value, path)
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    refuseText(key, path)
    refuseUnstorable(inner, depth === 0 ? key : path, depth + 1)
  }
}

function refuseText(value: string, path: string): void {
  if (value.includes('\0')) throw invalid(`${path} must not contain NUL characters`)
  if (/\p{Surrogate}/u.test(value)) throw invalid(`${path} must be well-formed Unicode`)
}
