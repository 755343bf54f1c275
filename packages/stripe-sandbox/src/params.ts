// Reads request parameters: nested form encoding (https://docs.stripe.com/api), validated by zod schemas, with
// Stripe's own words for errors.
import qs from 'qs'
import { z } from 'zod'
import { invalidRequest } from './errors.ts'

/** Parses `a[b]=c&d[0]=e` into nested objects and arrays. Throws StripeFailure for what cannot be read. */
export function parseForm(text: string): Record<string, unknown> {
  try {
    return qs.parse(text, {
      depth: 8,
      strictDepth: true,
      parameterLimit: 1000,
      throwOnLimitExceeded: true,
      arrayLimit: 100,
    })
  } catch {
    throw invalidRequest('Invalid request: the parameters are nested too deeply or are too many')
  }
}

/** Validates `input`; unknown, missing and malformed parameters are StripeFailures that name the parameter. */
export function read<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input, { reportInput: true })
  if (result.success) return result.data
  const issue = result.error.issues[0] as z.core.$ZodIssue & { input?: unknown; keys?: string[] }
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    const param = bracketed([...path, issue.keys?.[0] ?? ''])
    throw invalidRequest(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param })
  }
  const param = bracketed(path)
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    throw invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
  }
  const code = issue.message.startsWith('Invalid integer') ? 'parameter_invalid_integer' : undefined
  throw invalidRequest(issue.code === 'custom' ? issue.message : `Invalid ${param}: ${issue.message}`, {
    ...(code ? { code } : {}),
    param,
  })
}

function bracketed([first, ...rest]: string[]): string {
  return (first ?? '') + rest.map((part) => `[${part}]`).join('')
}

/** A single text value, at most 5000 characters as at Stripe. */
export const text = z.string().max(5000)

/** A whole number, written in digits. */
export const integer = z.string().transform((value, context) => {
  if (/^-?\d{1,12}$/.test(value)) return Number(value)
  context.addIssue({ code: 'custom', message: `Invalid integer: ${value}` })
  return z.NEVER
})

/** A whole number of cents above zero. */
export const positive = integer.superRefine((value, context) => {
  if (value < 1)
    context.addIssue({ code: 'custom', message: 'This value must be greater than or equal to 1.' })
})

/** `true` or `false`. */
export const flag = z.string().transform((value, context) => {
  if (value === 'true' || value === 'false') return value === 'true'
  context.addIssue({ code: 'custom', message: `Invalid boolean: ${value}` })
  return z.NEVER
})

/** A three-letter currency code, answered in lower case. */
export const currency = z.string().transform((value, context) => {
  const code = value.toLowerCase()
  if (/^[a-z]{3}$/.test(code)) return code
  context.addIssue({ code: 'custom', message: `Invalid currency: ${value}` })
  return z.NEVER
})

/** Up to 50 keys; an empty value removes the key, an empty `metadata` removes all. */
export const metadata = z.union([z.literal(''), z.record(z.string().max(40), z.string().max(500))])

/** Merges metadata as Stripe does. */
export function mergeMetadata(old: Record<string, string>, change: z.output<typeof metadata> | undefined) {
  if (change === undefined) return old
  if (change === '') return {}
  const merged = { ...old, ...change }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== ''))
}

/** Parameters of every request. */
export const expandable = { expand: z.array(text).optional() }

/** Fields that a browser may expand: the card it paid with, and nothing about other people. */
export const browserExpandable = { expand: z.array(z.literal('payment_method')).optional() }

/** Parameters of every list, with its own `filters`. */
export function listParams<Shape extends z.ZodRawShape>(filters: Shape) {
  return z.strictObject({
    limit: integer.optional(),
    starting_after: text.optional(),
    ending_before: text.optional(),
    created: z
      .union([
        integer,
        z.strictObject({
          gt: integer.optional(),
          gte: integer.optional(),
          lt: integer.optional(),
          lte: integer.optional(),
        }),
      ])
      .optional(),
    ...expandable,
    ...filters,
  })
}

/** The paging part of a list's parameters. */
export type Paging = {
  limit?: number | undefined
  starting_after?: string | undefined
  ending_before?: string | undefined
  created?: number | Record<string, number | undefined> | undefined
}
