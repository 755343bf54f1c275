// Stored objects: their bytes go from one Storage API to the other, since each home stores them its own way. The
// other columns of their rows (uploader and times) are written afterwards.
import { createHash, type Hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import type pg from 'pg'
import { switchTriggersOff } from './copy.ts'

/** Where the API of a home is, without a path, and its secret key. */
export interface Api {
  url: string
  key: string
}

/**
 * A row of storage.objects without the values that each home sets for its own bytes: the version, and the entity tag.
 */
export interface StoredObject {
  bucket_id: string
  name: string
  metadata: { mimetype?: string; cacheControl?: string; size?: number; xRobotsTag?: string } | null
  user_metadata: object | null
}

const AT_ONCE = 4
const TRIES = 4
const REMOVED_AT_ONCE = 500

/** All rows, by bucket and name. */
export async function readObjects(client: pg.Client): Promise<StoredObject[]> {
  const { rows } = await client.query<{ object: StoredObject }>(
    `select to_jsonb(o) - 'version' - 'path_tokens' - 'level' || jsonb_build_object('metadata', metadata - 'eTag') as object
     from storage.objects o order by bucket_id collate "C", name collate "C"`,
  )
  return rows.map(({ object }) => object)
}

/** The object's name within its home. */
export function keyOf({ bucket_id, name }: StoredObject): string {
  return `${bucket_id}/${name}`
}

/** Removes objects with their bytes. */
export async function removeObjects(api: Api, objects: StoredObject[]): Promise<void> {
  for (const bucket of new Set(objects.map(({ bucket_id }) => bucket_id))) {
    const names = objects.filter(({ bucket_id }) => bucket_id === bucket).map(({ name }) => name)
    for (let first = 0; first < names.length; first += REMOVED_AT_ONCE)
      await ask(api, `/${encodeURIComponent(bucket)}`, {
        method: 'DELETE',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ prefixes: names.slice(first, first + REMOVED_AT_ONCE) }),
      })
  }
}

/**
 * Brings the bytes of `objects` over and compares them by SHA-256, read back from the target. Those that `there` says to be
 * there are compared first, and left alone when they are the same: a second run goes on where the first one ended.
 */
export async function moveBytes(
  apis: { from: Api; to: Api },
  objects: StoredObject[],
  there: Set<string>,
  onObject: (sizes: { bytes: number; sent: boolean }) => void,
): Promise<void> {
  const limit = pLimit(AT_ONCE)
  const moveOne = async (object: StoredObject) => {
    if (there.has(keyOf(object))) {
      const [here, arrived] = await Promise.all([read(apis.from, object), read(apis.to, object)])
      if (here.hash === arrived.hash) return onObject({ bytes: here.bytes, sent: false })
    }
    const sent = await again(() => send(apis, object))
    const arrived = await read(apis.to, object)
    if (arrived.hash !== sent.hash)
      throw new Error(
        `${keyOf(object)}: ${arrived.bytes} bytes arrived, which are not the ${sent.bytes} that were sent`,
      )
    onObject({ bytes: sent.bytes, sent: true })
  }
  try {
    await Promise.all(objects.map((object) => limit(() => moveOne(object))))
  } finally {
    limit.clearQueue()
  }
}

/** Writes the other columns of the rows, as at the source. Begins and ends a transaction. */
export async function writeRows(client: pg.Client, objects: StoredObject[]): Promise<void> {
  await client.query('begin')
  await switchTriggersOff(client)
  await client.query(
    `update storage.objects o set id = s.id, owner = s.owner, owner_id = s.owner_id, created_at = s.created_at,
       updated_at = s.updated_at, last_accessed_at = s.last_accessed_at, user_metadata = s.user_metadata,
       metadata = s.metadata || jsonb_strip_nulls(jsonb_build_object('eTag', o.metadata -> 'eTag'))
     from jsonb_to_recordset($1) as s (bucket_id text, name text, id uuid, owner uuid, owner_id text, created_at timestamptz,
       updated_at timestamptz, last_accessed_at timestamptz, metadata jsonb, user_metadata jsonb)
     where o.bucket_id = s.bucket_id and o.name = s.name`,
    [JSON.stringify(objects)],
  )
  await client.query('commit')
}

type Weighed = { bytes: number; hash: string }

async function read(api: Api, object: StoredObject): Promise<Weighed> {
  return again(async () => {
    const weight = new Weight()
    for await (const chunk of bodyOf(await ask(api, pathOf(object)))) weight.add(chunk)
    return weight.done()
  })
}

async function send({ from, to }: { from: Api; to: Api }, object: StoredObject): Promise<Weighed> {
  const { mimetype, cacheControl, xRobotsTag } = object.metadata ?? {}
  const weight = new Weight()
  const source = bodyOf(await ask(from, pathOf(object)))
  const body = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      weight.add(chunk)
      controller.enqueue(chunk)
    },
  })
  await ask(to, pathOf(object), {
    method: 'POST',
    headers: {
      'x-upsert': 'true',
      'content-type': mimetype ?? 'application/octet-stream',
      ...(cacheControl ? { 'cache-control': cacheControl } : {}),
      ...(xRobotsTag ? { 'x-robots-tag': xRobotsTag } : {}),
    },
    body: source.pipeThrough(body),
    duplex: 'half',
  })
  return weight.done()
}

class Weight {
  private bytes = 0
  private readonly sum: Hash = createHash('sha256')

  add(chunk: Uint8Array): void {
    this.bytes += chunk.byteLength
    this.sum.update(chunk)
  }

  done(): Weighed {
    return { bytes: this.bytes, hash: this.sum.digest('hex') }
  }
}

function pathOf({ bucket_id, name }: StoredObject): string {
  return `/${[bucket_id, ...name.split('/')].map(encodeURIComponent).join('/')}`
}

function bodyOf({ body }: Response): ReadableStream<Uint8Array> {
  return (body as ReadableStream<Uint8Array> | null) ?? new Blob([]).stream()
}

/** Rejects with the API's message, the object's path and the status. */
async function ask(
  { url, key }: Api,
  path: string,
  init: RequestInit & { duplex?: 'half' } = {},
): Promise<Response> {
  const headers = { apikey: key, authorization: `Bearer ${key}`, ...init.headers }
  const response = await fetch(`${url.replace(/\/$/, '')}/storage/v1/object${path}`, { ...init, headers })
  if (response.ok) return response
  throw new Refused(
    `${url}: ${path.slice(1)}: ${response.status} ${(await response.text()).slice(0, 300)}`,
    response.status,
  )
}

class Refused extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message)
  }
}

/** Repeats requests that a busy or restarting installation refuses, after growing pauses. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const passing = !(error instanceof Refused) || error.status === 429 || error.status >= 500
      if (!passing || attempt === TRIES) throw error
      await sleep(500 * 3 ** attempt)
    }
  }
}
