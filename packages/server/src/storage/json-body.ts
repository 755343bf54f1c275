// Reads and validates JSON bodies and query parameters. Errors are worded as Fastify's, which Supabase's storage service
// uses: `body/limit must be integer`.
import type { z } from 'zod'
import { parseJson } from '../http/json.ts'
import type { RequestContext } from '../http/request-context.ts'
import { invalidShape, StorageError } from './errors.ts'

/** Maximum size of a JSON body. */
export const MAX_JSON_BYTES = 1024 * 1024

/** The JSON body by `schema`. Throws a StorageError that names the field and the rule. */
export function readJson<Schema extends z.ZodType>(
  { text }: RequestContext,
  schema: Schema,
): z.output<Schema> {
  if (text === '') throw invalidShape('body must be object')
  return validate('body', schema, parse(text))
}

/** The query parameters by `schema`. */
export function readQuery<Schema extends z.ZodType>(
  request: RequestContext,
  schema: Schema,
): z.output<Schema> {
  return validate('querystring', schema, queryOf(request))
}

/** The query parameters; the first of those that come several times. */
export function queryOf({ query }: RequestContext): Record<string, string> {
  return Object.fromEntries([...query].reverse())
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw new StorageError(400, 'SyntaxError', 'Body is not valid JSON')
  }
}

function validate<Schema extends z.ZodType>(where: string, schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const issue = result.error.issues[0] as z.core.$ZodIssue
  throw invalidShape(`${[where, ...parentOf(issue, input)].join('/')} ${ruleOf(issue, input)}`)
}

/** The error of a missing field names the object it is missing from. */
function parentOf(issue: z.core.$ZodIssue, input: unknown): PropertyKey[] {
  return isMissing(issue, input) ? issue.path.slice(0, -1) : issue.path
}

function isMissing({ path }: z.core.$ZodIssue, input: unknown): boolean {
  const at = path.reduce<unknown>(
    (node, key) => (node as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  )
  return path.length > 0 && at === undefined
}

function ruleOf(issue: z.core.$ZodIssue, input: unknown): string {
  if (isMissing(issue, input)) return `must have required property '${String(issue.path.at(-1))}'`
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${issue.expected === 'int' ? 'integer' : issue.expected === 'record' ? 'object' : issue.expected}`
    case 'too_small':
      return issue.origin === 'array'
        ? `must NOT have fewer than ${issue.minimum} items`
        : `must be >= ${issue.minimum}`
    case 'too_big':
      return issue.origin === 'array'
        ? `must NOT have more than ${issue.maximum} items`
        : `must be <= ${issue.maximum}`
    case 'invalid_value':
      return 'must be equal to one of the allowed values'
    default:
      return issue.message
  }
}
