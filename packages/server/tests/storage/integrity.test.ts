// Rows and bytes stay together: when uploads race, when the row is refused at the last moment, when the server is
// killed in between; and what a crash leaves behind is swept away.
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/sql/database.ts'
import { openDisk } from '../../src/storage/backend/disk.ts'
import { startIntervalJob } from '../../src/storage/interval-job.ts'
import { upload } from '../../src/storage/objects/upload.ts'
import { sweep } from '../../src/storage/orphan-sweep.ts'
import { storageTables } from '../../src/storage/routes.ts'
import type { StorageService } from '../../src/storage/service.ts'
import { signToken } from '../../src/storage/signed-urls/tokens.ts'
import { createStorage } from '../../src/storage/storage.ts'
import type { CallerContext } from '../../src/storage/transaction.ts'
import { eventually } from '../support/eventually.ts'
import { startTestServer } from '../support/server.ts'
import { serveTables } from '../support/tables.ts'
import { bodyOf, errorOf, forbidden, isWhole, keptFiles, migrate, startStorage } from './storage.ts'

const { server, grace } = await startStorage({ open: ['race'] })

describe('in one server', () => {
  const SIZE = 300_000
  const from = () => grace.storage.from('race')
  const read = async (name: string) => {
    const { data, error } = await from().download(name)
    if (error) throw error
    return Buffer.from(await data.arrayBuffer())
  }

  /** The service by itself, on the server's data. */
  const opened = async (): Promise<StorageService> => {
    const { config, database, keys, bodies, log } = server.services
    const backend = await openDisk(join(config.dataDir, 'storage'))
    return { config, database, keys, bodies, log, backend }
  }

  test('of uploads to one name at once, one wins, and nothing of the others is left', async () => {
    const before = (await keptFiles(server)).length
    const sent = await Promise.all(
      Array.from({ length: 8 }, (_, mark) => from().upload('one', bodyOf(mark, SIZE))),
    )
    const won = sent.flatMap(({ error }, mark) => (error ? [] : [mark]))
    expect(won).toHaveLength(1)
    for (const { error } of sent) if (error) expect(error).toMatchObject({ statusCode: '409' })
    expect((await read('one')).equals(bodyOf(won[0] as number, SIZE))).toBe(true)
    expect(await keptFiles(server)).toHaveLength(before + 1)
  })

  test('replacing at once leaves one whole content, and readers only ever see a whole one', async () => {
    await from().upload('two', bodyOf(0, SIZE))
    const before = (await keptFiles(server)).length
    let writing = true
    const reads = (async () => {
      const seen: boolean[] = []
      while (writing) {
        seen.push(isWhole(await read('two'), SIZE))
      }
      return seen
    })()
    const sent = await Promise.all(
      Array.from({ length: 12 }, (_, mark) => from().upload('two', bodyOf(mark, SIZE), { upsert: true })),
    )
    writing = false
    expect(sent.map(({ error }) => error)).toEqual(Array(12).fill(null))
    const seen = await reads
    expect(seen).not.toContain(false)
    expect(isWhole(await read('two'), SIZE)).toBe(true)
    expect(await keptFiles(server)).toHaveLength(before)
  })

  test('a reader whose object is replaced just before it is opened gets the new one', async () => {
    await from().upload('swapped', 'old')
    const storage = await opened()
    let replaced = 0
    const get: typeof storage.backend.get = async (...given) => {
      if (replaced++ === 0) await from().upload('swapped', 'new', { upsert: true })
      return storage.backend.get(...given)
    }
    const tables = storageTables({ ...storage, backend: { ...storage.backend, get } })
    const served = await serveTables(tables)
    const token = await signToken(storage.keys, { scope: 'download', url: 'race/swapped' }, 60)
    const answer = await fetch(`${served.url}/storage/v1/object/sign/race/swapped?token=${token}`)
    expect(await answer.text()).toBe('new')
    await served.close()
  })

  test('moves, copies and removals at once leave each row with its bytes', async () => {
    const names = ['m0', 'm1', 'm2', 'm3']
    for (const [mark, name] of names.entries()) await from().upload(name, bodyOf(mark, 1000))
    await Promise.all([
      ...names.map((name) => from().move(name, `moved-${name}`)),
      ...names.map((name) => from().copy(name, `copy-${name}`)),
      ...names.map((name) => from().upload(name, bodyOf(9, 1000), { upsert: true })),
      from().remove(['m0', 'moved-m1', 'copy-m2']),
    ])
    const { data } = await from().list()
    for (const { name, id } of data ?? []) {
      if (id && /m\d/.test(name)) expect(isWhole(await read(name), 1000)).toBe(true)
    }
    const { rows } = await server.database.pool.query('select version from storage.objects')
    expect(rows.map(({ version }) => version).sort()).toEqual((await keptFiles(server)).sort())
  })

  test('a row that is refused once the bytes are there takes them along', async () => {
    // Nothing says no before the bytes are known.
    await migrate(
      server,
      `create policy "late" on storage.objects as restrictive for insert to authenticated
       with check (bucket_id <> 'race' or name <> 'late' or metadata ->> 'eTag' is null)`,
    )
    const files = await keptFiles(server)
    expect(errorOf((await from().upload('late', bodyOf(1, SIZE))).error)).toEqual(forbidden)
    expect(errorOf((await from().copy('one', 'late')).error)).toEqual(forbidden)
    expect((await from().exists('late')).data).toBe(false)
    expect(await keptFiles(server)).toEqual(files)
  })

  test('an object that is moved away while another takes its name keeps its bytes', async () => {
    await from().upload('here', bodyOf(1, SIZE))
    let taking: ReturnType<ReturnType<typeof from>['upload']> | undefined
    await server.database.transaction(async (client) => {
      await client.query(`update storage.objects set name = 'there' where name = 'here'`)
      taking = from().upload('here', bodyOf(2, SIZE), { upsert: true })
      taking.then(() => {})
      // It has come to the row that is on its way to another name.
      await eventually(async () => {
        const { rowCount } = await server.database.pool.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return rowCount === 1
      })
    })
    expect((await taking)?.error).toBeNull()
    expect((await read('there')).equals(bodyOf(1, SIZE))).toBe(true)
    expect((await read('here')).equals(bodyOf(2, SIZE))).toBe(true)
  })

  test('an upload whose row may be there keeps its bytes: the answer to its commit was lost', async () => {
    await from().upload('cut', 'before')
    const database = openDatabase(server.services.database.url)
    database.pool.on('connect', (client) => {
      const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
      const push = stream.push
      stream.push = (chunk) => {
        // Comes in one piece with what tells that the transaction is over; the trial before it is rolled back.
        const isCommit = chunk?.includes('INSERT 0 1\0') && !chunk.includes('ROLLBACK\0')
        if (!isCommit) return push.call(stream, chunk)
        stream.destroy()
        return false
      }
    })
    const context: CallerContext = {
      caller: null,
      operation: 'storage.object.upload',
      request: { method: 'POST', path: '/', headers: {} },
    }
    const description = { mimeType: 'text/plain', cacheControl: 'no-cache', userMetadata: null }
    const body = Readable.from([Buffer.from('after')])
    const storage = { ...(await opened()), database }
    const uploading = upload(
      storage,
      context,
      { bucket: 'race', name: 'cut', upsert: true, owner: null },
      { ...description, body, contentLength: null, final: async () => description },
    )
    await expect(uploading).rejects.toThrow('Connection terminated')
    expect((await read('cut')).toString()).toBe('after')
    // The sweep removes the replaced file.
    await expect.poll(() => sweep(storage, 10)).toBe(1)
    expect((await read('cut')).toString()).toBe('after')
    await database.close()
  })

  test('an object whose bytes were lost is reported as missing', async () => {
    await from().upload('lost', 'x')
    const { data } = await from().info('lost')
    const backend = await openDisk(join(server.services.config.dataDir, 'storage'))
    await backend.remove([{ version: data?.version as string }])
    expect(errorOf((await from().download('lost')).error)).toMatchObject({ statusCode: '404' })
    expect(errorOf((await from().copy('lost', 'found')).error)).toMatchObject({ statusCode: '404' })
    expect((await from().remove(['lost'])).data).toHaveLength(1)
  })

  test('a database that is away is reported as such, with the advice to try again', async () => {
    const database = openDatabase('postgresql://127.0.0.1:1/nowhere')
    // Buckets of the configuration would be made at the start.
    const config = { ...server.services.config, storage: { ...server.services.config.storage, buckets: {} } }
    const storage = await createStorage({ ...server.services, config, database })
    const signer = { account: false, claims: { role: 'service_role' } }
    const allowed = { scope: 'upload', url: 'race/x', upsert: true, signer } as const
    const token = await signToken(server.services.keys, allowed, 60)
    const served = await serveTables(storage.services)
    const requests: [string, RequestInit][] = [
      ['/object/public/race/x', {}],
      [`/object/upload/sign/race/x?token=${token}`, { method: 'PUT', body: 'x' }],
      [
        `/upload/resumable/sign/${randomUUID()}`,
        { method: 'HEAD', headers: { 'tus-resumable': '1.0.0', 'x-signature': token } },
      ],
    ]
    // Together: each waits its ten seconds for a connection.
    const ask = ([path, init]: (typeof requests)[0]) => fetch(`${served.url}/storage/v1${path}`, init)
    for (const { status, headers } of await Promise.all(requests.map(ask)))
      expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    await Promise.all([served.close(), storage.stop(), database.close()])
  })

  describe('the sweep', () => {
    test('runs at intervals, also after a run that failed, until it is stopped', async () => {
      const failures: unknown[] = []
      let [done, others] = [0, 0]
      const start = (each: () => Promise<unknown>) =>
        startIntervalJob({ firstMs: 5, everyMs: 5 }, each, (error) => failures.push(error))
      const job = start(async () => {
        if (++done === 2) throw new Error('the second')
      })
      await expect.poll(() => done).toBeGreaterThan(3)
      job.stop()
      const reached = done
      // Another one runs for as long as this one would have needed.
      const other = start(async () => ++others)
      await expect.poll(() => others).toBeGreaterThan(3)
      other.stop()
      expect(done).toBe(reached)
      expect(failures).toEqual([new Error('the second')])
    })

    test('removes files that no row points to, and no others', async () => {
      await from().upload('kept', 'kept')
      const storage = await opened()
      const orphan = { bucket: 'race', name: 'orphan', version: randomUUID() }
      const options = { maxBytes: 100, contentType: 'text/plain', cacheControl: '' }
      await storage.backend.put(orphan, Readable.from([Buffer.from('x')]), options)
      expect(await keptFiles(server)).toContain(orphan.version)
      // Young: its row may be on its way.
      expect(await sweep(storage, 60_000)).toBe(0)
      expect(await keptFiles(server)).toContain(orphan.version)
      await expect.poll(() => sweep(storage, 10)).toBe(1)
      expect(await keptFiles(server)).not.toContain(orphan.version)
      expect((await read('kept')).toString()).toBe('kept')
      expect(await sweep(storage, 10)).toBe(0)
    })

    test('takes what a deleted row leaves behind', async () => {
      await from().upload('behind', 'x')
      await server.database.transaction(async (client) => {
        await client.query(`set local storage.allow_delete_query = 'true'`)
        await client.query(`delete from storage.objects where name = 'behind'`)
      })
      const storage = await opened()
      await expect.poll(() => sweep(storage, 10)).toBe(1)
    })

    test('touches nothing if the database has no objects at all', async () => {
      const other = await startTestServer()
      const storage = { ...(await opened()), database: other.database }
      const files = await keptFiles(server)
      expect(await sweep(storage, 0)).toBe(0)
      expect(await keptFiles(server)).toEqual(files)
      await other.stop()
    })
  })
})
