// What a restored or upgraded database is looked at for: a stored object whose file is missing, or has other bytes.
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inspect } from '../../server/backup/inspect.ts'
import { connectClient } from '../../server/sql/client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
const storage = mkdtempSync(join(tmpdir(), 'meadowlark-inspect-'))
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  rmSync(storage, { recursive: true })
  await database?.drop()
})

test('files are compared by their SHA-256 where it is known, else by their size', async () => {
  const client = await connectClient({ connectionString: database.url })
  const digests = new Map<string, string>()
  const store = async (name: string, bytes: string | null, was?: string) => {
    const version = randomUUID()
    await client.query(
      `insert into storage.objects (bucket_id, name, version, metadata) values ('shed', $1, $2, '{"size": 3}')`,
      [name, version],
    )
    const folder = join(storage, 'objects', version.slice(0, 2))
    mkdirSync(folder, { recursive: true })
    if (bytes !== null) writeFileSync(join(folder, version), bytes)
    if (was) digests.set(version, createHash('sha256').update(was).digest('hex'))
  }
  try {
    await client.query(`insert into storage.buckets (id, name) values ('shed', 'shed')`)
    await store('changed', 'oak', 'ash')
    await store('gone', null)
    await store('kept', 'ash', 'ash')
    await store('longer', 'maple')
    await store('unknown', 'elm')
    const { missing } = await inspect(client, storage, {}, digests)
    expect(missing).toEqual(['shed/changed', 'shed/gone', 'shed/longer'])
  } finally {
    await client.end()
  }
})
