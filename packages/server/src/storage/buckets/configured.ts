// The buckets that `[storage.buckets.<name>]` of config.toml wants, made at the start, with the files of
// `objects_path`: what `supabase seed buckets` does.
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { getMimeType } from 'hono/utils/mime'
import { isKey } from '../names.ts'
import { upload } from '../objects/upload.ts'
import type { StorageService } from '../service.ts'
import type { CallerContext } from '../transaction.ts'

/**
 * Makes missing buckets and updates the others to the settings of the file. The files of `objects_path` go into a bucket
 * that is made here and, `seeding`, into one that migrations made and that has nothing yet.
 */
export async function makeConfiguredBuckets(
  service: StorageService,
  { seeding }: { seeding: boolean },
): Promise<void> {
  const { config, database } = service
  for (const [name, bucket] of Object.entries(config.storage.buckets)) {
    const { rows } = await database.pool.query<{ fresh: boolean; empty: boolean }>(
      `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values ($1, $1, $2, $3, $4)
       on conflict (id) do update set public = excluded.public,
         file_size_limit = coalesce(excluded.file_size_limit, buckets.file_size_limit),
         allowed_mime_types = coalesce(excluded.allowed_mime_types, buckets.allowed_mime_types)
       returning xmax = 0 as fresh, not exists (select from storage.objects where bucket_id = $1) as empty`,
      [name, bucket.public, bucket.file_size_limit ?? null, bucket.allowed_mime_types ?? null],
    )
    const due = rows[0]?.fresh || (seeding && rows[0]?.empty)
    if (due && bucket.objects_path) await fill(service, name, resolve(config.project, bucket.objects_path))
  }
}

async function fill(service: StorageService, bucket: string, folder: string): Promise<void> {
  const context: CallerContext = {
    caller: null,
    operation: 'storage.object.upload',
    request: { method: 'POST', path: '/', headers: {} },
  }
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((err) => {
    service.log.warn({ err, bucket }, 'objects_path cannot be read')
    return []
  })
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path).split(sep).join('/')
    if (!isKey(name)) continue
    const description = {
      mimeType: getMimeType(name) ?? 'application/octet-stream',
      cacheControl: 'max-age=3600',
      userMetadata: null,
    }
    await upload(
      service,
      context,
      { bucket, name, upsert: true, owner: null },
      { ...description, body: createReadStream(path), contentLength: null, final: async () => description },
    ).catch((err) => service.log.warn({ err, bucket, name }, 'a file of objects_path was not stored'))
  }
}
