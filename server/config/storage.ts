// `[storage]` of config.toml: https://supabase.com/docs/guides/local-development/cli/config#storage-config
import { z } from 'zod'
import { missingVariable } from './substitute.ts'

const units: Record<string, number> = { '': 0, k: 1, m: 2, g: 3, t: 4 }

/** A size as Docker writes it ("50MiB", "1GB"; always powers of 1024), read as bytes. */
const size = z
  .union([z.int().min(0), z.string()], 'must be a size such as "50MiB"')
  .transform((value, context) => {
    if (typeof value === 'number') return value
    const parts = /^(\d+(?:\.\d+)?) ?([kmgt]?)i?b?$/i.exec(value)
    if (parts)
      return Math.round(Number(parts[1]) * 1024 ** (units[(parts[2] as string).toLowerCase()] as number))
    context.addIssue({ code: 'custom', message: 'must be a size such as "50MiB"' })
    return z.NEVER
  })

/** An `env(NAME)` that found no value is named by config.ts. */
const text = z
  .string('must be a text in quotes')
  .refine((value) => missingVariable(value) === null, { error: 'its variable is not set', abort: true })

const flag = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean('must be true or false'),
)

const bucket = z.object(
  {
    public: flag.default(false),
    file_size_limit: size.optional(),
    allowed_mime_types: z.array(text, 'must be a list of texts').optional(),
    /** Folder, relative to supabase/, whose files are put into the bucket when it is made. */
    objects_path: text.optional(),
  },
  'must be a table',
)

/** Sizes are bytes after validation. */
export const storage = z
  .object(
    {
      enabled: flag.default(true),
      file_size_limit: size.default(50 * 1024 * 1024),
      buckets: z.record(z.string(), bucket, 'must be a table').prefault({}),
      image_transformation: z.object({ enabled: flag.default(true) }, 'must be a table').prefault({}),
    },
    'must be a table',
  )
  .prefault({})
