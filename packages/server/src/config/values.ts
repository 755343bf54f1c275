// The kinds of values that settings of config.toml have, each with the words for one that is wrong.
import { z } from 'zod'
import { missingVariable } from './substitute.ts'

/** A number or boolean may come out of the environment as text. */
export const integer = (min: number, max: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value),
    z
      .int(`must be a whole number from ${min} to ${max}`)
      .min(min, `must be at least ${min}`)
      .max(max, `must be at most ${max}`),
  )

export const flag = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean('must be true or false'),
)

/** An `env(NAME)` that found no value is named by config.ts. */
export const text = z
  .string('must be a text in quotes')
  .refine((value) => missingVariable(value) === null, { error: 'its variable is not set', abort: true })
/** Templates write "" for a setting that is not made. */
export const optionalText = text.optional().transform((value) => value || undefined)
export const texts = z.array(text, 'must be a list of texts')

const setsOf = (value: string): string[] => value.split(/(?<!\\):/).map((set) => set.replaceAll('\\:', ':'))

/** Sets of characters between colons, as GOTRUE_PASSWORD_REQUIRED_CHARACTERS has them; `\\:` is a colon of a set. */
export const characterSets = text
  .refine((value) => setsOf(value).every((set) => set !== ''), {
    error: 'must be sets of characters between colons, such as "ABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789"',
  })
  .transform(setsOf)

/** Where an app is: a web page, or what opens a native app ("example://"). */
export const appAddress = text.refine(
  (value) => /^(https?:\/\/[^\s/]+|(?!https?:)[a-z][a-z0-9+.-]*:\/\/)/i.test(value) && URL.canParse(value),
  { error: 'must be an address such as "https://example.com"' },
)

const seconds: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600 }

/** A duration as Go writes it ("1m30s", "24h"), read as seconds. */
export const duration = text
  .refine((value) => /^(\d+(\.\d+)?(ms|s|m|h))+$/.test(value) || value === '0', {
    error: 'must be a duration such as "60s", "5m" or "24h"',
  })
  .transform((value) =>
    [...value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce(
      (sum, [, amount, unit]) => sum + Number(amount) * (seconds[unit ?? 's'] ?? 1),
      0,
    ),
  )

/** A table that may be missing: its settings then have their defaults. */
export const table = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object(shape, 'must be a table').prefault({} as never)
export const named = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value).prefault({})

/** Of 1024. */
const powers: Record<string, number> = { '': 0, k: 1, m: 2, g: 3, t: 4 }

/** A size as Docker writes it ("50MiB", "1GB"; always powers of 1024), read as bytes. */
export const size = z
  .union([z.int().min(0), z.string()], 'must be a size such as "50MiB"')
  .transform((value, context) => {
    if (typeof value === 'number') return value
    const parts = /^(\d+(?:\.\d+)?) ?([kmgt]?)i?b?$/i.exec(value)
    if (parts)
      return Math.round(Number(parts[1]) * 1024 ** (powers[(parts[2] as string).toLowerCase()] as number))
    context.addIssue({ code: 'custom', message: 'must be a size such as "50MiB"' })
    return z.NEVER
  })
