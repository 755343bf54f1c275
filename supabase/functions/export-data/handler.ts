// Makes one part of a person's data export: a zip file of their rows as JSON and of files that they may see. It is
// streamed from bucket to bucket, so that no more than a piece of a file is in memory. Called by the effect that the
// request queues and, for each further part, by one that the part before it queues; may run any number of times.
import type { SupabaseClient } from '@supabase/supabase-js'
import { makeZip } from 'client-zip'
import { z } from 'zod'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { callAsService, type Environment, storageAsService } from '../_shared/supabase.ts'

const BUCKET = 'data-exports'

type StoredFile = { bucket: string; name: string }
type Part = { person: string; part: number; files: StoredFile[] }
type Storage = SupabaseClient['storage']
type ZipEntry = { name: string; input: string | ReadableStream<Uint8Array> }

export default endpoint(
  {
    caller: 'secret',
    body: jsonBody(z.object({ export_id: z.uuid('must be the id of an export') })),
    failure: { code: 'data_export.failed' },
  },
  async ({ body: { export_id }, env }) => {
    const due = await callAsService<Part | null>(env, 'begin_data_export', { export_id })
    if (!due) return { action: 'none' }
    const storage = storageAsService(env)
    // Another name at each try: what two of them store at once cannot mix.
    const file = `${due.person}/${export_id}/${crypto.randomUUID()}.zip`
    const { error } = await storage
      .from(BUCKET)
      .upload(file, makeZip(entries(env, storage, due)), { contentType: 'application/zip', duplex: 'half' })
    if (error) throw error
    const isWanted = await callAsService<boolean>(env, 'finish_data_export', {
      export_id,
      part: due.part,
      file,
      last: due.files.at(-1) ?? null,
    })
    if (!isWanted) await storage.from(BUCKET).remove([file])
    return { action: isWanted ? 'stored' : 'none', files: due.files.length }
  },
)

/** The first part begins with the rows, a JSON file for each section. */
async function* entries(
  env: Environment,
  storage: Storage,
  { person, part, files }: Part,
): AsyncGenerator<ZipEntry> {
  if (part === 1) {
    const sections = await callAsService<Record<string, unknown[]>>(env, 'data_of_person', { person })
    for (const [section, rows] of Object.entries(sections)) {
      yield { name: `data/${section}.json`, input: JSON.stringify(rows, null, 2) }
    }
  }
  for (const { bucket, name } of files) {
    const { data, error } = await storage.from(bucket).download(name).asStream()
    if (data) yield { name: `files/${bucket}/${name}`, input: data }
    // Its person has taken it down meanwhile.
    else if (!isGone(error)) throw error
  }
}

/** The storage service answers 404, or 400 with that code in the body. */
function isGone(error: { status?: number; statusCode?: string }): boolean {
  return error.statusCode === '404' || error.status === 404
}
