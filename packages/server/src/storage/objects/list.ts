// Lists a bucket, folder by folder, as far as the caller may see: pages by offset, and pages by cursor.
import { z } from 'zod'
import { json } from '../../http/answer.ts'
import { StorageError } from '../errors.ts'
import { readJson } from '../json-body.ts'
import { bucketOf } from '../request.ts'
import type { Handler } from '../service.ts'
import { type CallerContext, withTransaction } from '../transaction.ts'

const MAX_OFFSET = 2 ** 31 - 2

const order = z.enum(['asc', 'desc']).optional()
const listBody = z.object({
  prefix: z.string(),
  limit: z.int().min(1).max(MAX_OFFSET).optional(),
  offset: z.int().min(0).max(MAX_OFFSET).optional(),
  search: z.string().nullish(),
  sortBy: z
    .object({ column: z.enum(['name', 'updated_at', 'created_at', 'last_accessed_at']), order })
    .optional(),
})
const pageBody = z.object({
  prefix: z.string().nullish(),
  limit: z.int().min(1).max(MAX_OFFSET).nullish(),
  cursor: z.string().nullish(),
  with_delimiter: z.boolean().nullish(),
  sortBy: z.object({ column: z.enum(['name', 'updated_at', 'created_at']), order }).nullish(),
})

/** Maximum entries of a list by offset and of a page by cursor, as on Supabase; larger limits are lowered to these. */
const MAX_LIST = 1500
const MAX_PAGE = 1000

/** Where a page ended and how the pages are sorted, as the cursor carries it. */
const cursorShape = z.object({
  after: z.string(),
  column: z.enum(['name', 'updated_at', 'created_at']),
  order: z.enum(['asc', 'desc']),
  /** PostgreSQL's text of the last object's time, exact to the microsecond. */
  moment: z.string().regex(/^[\d:. +-]*$/),
})
type Cursor = z.output<typeof cursorShape>

interface Entry extends Record<string, unknown> {
  key: string
  name: string
  id: string | null
  moment: string | null
}

/** A folder, page by page by offset. */
export const listObjects: Handler<CallerContext> = async (service, request, context) => {
  const bucket = bucketOf(request, '/object/list/')
  const { prefix, limit = 100, offset = 0, search, sortBy } = readJson(request, listBody)
  // A prefix is always a folder.
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`
  return withTransaction(service.database, context, async ({ asCaller }) => {
    const { rows } = await asCaller('select * from storage.search($1, $2, $3, 1, $4, $5, $6, $7)', [
      ...[folder, bucket, Math.min(limit, MAX_LIST), offset],
      ...[search ?? '', sortBy?.column ?? 'name', sortBy?.order ?? 'asc'],
    ])
    return json(rows)
  })
}

/** A folder, or everything below a prefix, page by page by cursor. */
export const listObjectsByCursor: Handler<CallerContext> = async (service, request, context) => {
  const bucket = bucketOf(request, '/object/list-v2/')
  const body = readJson(request, pageBody)
  const limit = Math.min(body.limit ?? MAX_PAGE, MAX_PAGE)
  const from: Cursor = body.cursor
    ? readCursor(body.cursor)
    : { after: '', column: body.sortBy?.column ?? 'name', order: body.sortBy?.order ?? 'asc', moment: '' }
  const { text, values } = pageQuery(bucket, body.prefix ?? '', body.with_delimiter ?? false, from, limit + 1)
  return withTransaction(service.database, context, async ({ asCaller }) => {
    const { rows } = await asCaller<Entry>(text, values)
    return json(pageOf(rows, limit, from))
  })
}

function pageQuery(
  bucket: string,
  prefix: string,
  delimited: boolean,
  { column, order, after, moment }: Cursor,
  limit: number,
) {
  const time = column === 'name' ? 'null' : `${column}::text`
  if (delimited) {
    return {
      text: `select *, ${time} as moment from storage.search_v2($1, $2, $3, $4, $5, $6, $7, $8)`,
      values: [prefix, bucket, limit, prefix.split('/').length, after, order, column, moment || null],
    }
  }
  // Everything below the prefix, without folders.
  const sorted =
    column === 'name' ? `name collate "C" ${order}` : `${column} ${order}, name collate "C" ${order}`
  const beyond = order === 'desc' ? '<' : '>'
  const rest =
    column === 'name'
      ? `name collate "C" ${beyond} $3`
      : `(${column}, name collate "C") ${beyond} ($5::timestamptz, $3 collate "C")`
  return {
    text: `select id, name, updated_at, created_at, last_accessed_at, metadata, ${time} as moment
      from storage.objects
      where bucket_id = $1 and name collate "C" >= $2 and name collate "C" < $2 || chr(1114111)
        and ($3 = '' or ${rest}) ${column === 'name' ? 'and $5::text is null' : ''}
      order by ${sorted} limit $4`,
    values: [bucket, prefix, after, limit, column === 'name' ? null : moment || null],
  }
}

function pageOf(entries: Entry[], limit: number, { column, order }: Cursor) {
  const page = entries.slice(0, limit)
  const last = page.at(-1)
  const hasNext = entries.length > limit
  return {
    hasNext,
    ...(hasNext &&
      last && { nextCursor: writeCursor({ after: last.name, column, order, moment: last.moment ?? '' }) }),
    folders: page.filter(({ id }) => id === null).map(({ key, name }) => ({ key, name })),
    objects: page.filter(({ id }) => id !== null).map(({ moment: _, ...entry }) => entry),
  }
}

function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64')
}

function readCursor(text: string): Cursor {
  try {
    return cursorShape.parse(JSON.parse(Buffer.from(text, 'base64').toString('utf8')))
  } catch {
    throw new StorageError(400, 'InvalidParameter', 'Invalid Parameter continuation token')
  }
}
