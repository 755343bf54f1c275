// Lines that break, clients that come back too early, and servers that stop at the worst moment.
import { randomBytes } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBackend } from '../../src/storage/backend/open.ts'
import { eventually } from '../support/eventually.ts'
import { stranger } from '../support/people.ts'
import { startTestServer } from '../support/server.ts'
import { startObjectStore } from './object-store.ts'
import { encoded, MEBIBYTE, startUploads, type Uploads } from './resumable.ts'
import { makeBucket } from './storage.ts'

describe.each(['disk', 'S3'] as const)('on %s', (where) => {
  let uploads: Uploads
  beforeAll(async () => {
    uploads = await startUploads(where)
  })
  afterAll(() => uploads?.stop())

  describe('interruptions', () => {
    /** Sends `part` of a piece that is announced as `length`; resolves with the unfinished request. */
    async function broken(address: string, offset: number, length: number, part: Buffer) {
      const asked = httpRequest(new URL(address, uploads.server.url), {
        method: 'PATCH',
        headers: {
          'tus-resumable': '1.0.0',
          authorization: `Bearer ${uploads.token}`,
          'upload-offset': String(offset),
          'content-type': 'application/offset+octet-stream',
          'content-length': String(length),
        },
      })
      asked.on('error', () => {})
      await new Promise<void>((resolve) => asked.write(part, () => resolve()))
      // The server is at it, and it alone.
      await eventually(async () => {
        const { rowCount } = await uploads.server.database.pool.query(
          'select from storage.resumable_uploads where id = $1 and held_until > now()',
          [address.split('/').at(-1)],
        )
        return rowCount === 1
      })
      return asked
    }

    test('bytes that arrived before the line broke stay', async () => {
      const bytes = randomBytes(3 * MEBIBYTE)
      const address = await uploads.begun('cut.bin', bytes.length)
      const asked = await broken(address, 0, bytes.length, bytes.subarray(0, 2 * MEBIBYTE))
      asked.destroy()
      let offset = 0
      const arrived = async () => {
        offset = await uploads.offsetOf(address)
        return offset
      }
      // Bytes that a busy server has not read yet are lost with the connection.
      await expect.poll(arrived).toBeGreaterThan(MEBIBYTE)
      expect(offset).toBeLessThanOrEqual(2 * MEBIBYTE)
      expect((await uploads.patch(address, offset, bytes.subarray(offset))).status).toBe(204)
      expect((await uploads.download('cut.bin'))?.equals(bytes)).toBe(true)
    })

    test('a client that comes back need not wait for its dead connection', async () => {
      const bytes = randomBytes(1_000_000)
      const address = await uploads.begun('dead.bin', bytes.length)
      const asked = await broken(address, 0, bytes.length, bytes.subarray(0, 400_000))
      const second = await uploads.patch(address, 0, bytes)
      // The first request's bytes count, so the second must ask for the offset; on a busy machine there may be none.
      expect([204, 409]).toContain(second.status)
      const offset = await uploads.offsetOf(address)
      expect(offset > 0).toBe(true)
      if (second.status === 409)
        expect((await uploads.patch(address, offset, bytes.subarray(offset))).status).toBe(204)
      expect((await uploads.download('dead.bin'))?.equals(bytes)).toBe(true)
      asked.destroy()
    })

    test('of many that write at once, one does', async () => {
      const bytes = randomBytes(200_000)
      const address = await uploads.begun('many.bin', bytes.length)
      const statuses = await Promise.all(
        Array.from({ length: 6 }, () =>
          uploads.patch(address, 0, bytes).then(
            ({ status }) => status,
            () => 0,
          ),
        ),
      )
      for (const status of statuses) expect([0, 204, 409]).toContain(status)
      const offset = await uploads.offsetOf(address)
      if (offset < bytes.length) await uploads.patch(address, offset, bytes.subarray(offset))
      expect((await uploads.download('many.bin'))?.equals(bytes)).toBe(true)
    })

    test('an upload is finished once, also when the server stopped before it had written that down', async () => {
      const address = await uploads.begun('once.txt', 3)
      expect((await uploads.patch(address, 0, 'hay')).status).toBe(204)
      const { rowCount } = await uploads.server.database.pool.query(
        'update storage.resumable_uploads set finished_at = null where id = $1',
        [address.split('/').at(-1)],
      )
      expect(rowCount).toBe(1)
      expect(await uploads.offsetOf(address)).toBe(3)
      expect((await uploads.download('once.txt'))?.toString()).toBe('hay')
    })

    test('an upload that another server works on waits for it, and one that it took over is its own', async () => {
      const address = await uploads.begun('theirs.txt', 6)
      const hold = async (seconds: number) => {
        const { rows } = await uploads.server.database.pool.query<{ until: string }>(
          `update storage.resumable_uploads
           set holder = gen_random_uuid(), held_until = now() + $2 * interval '1 second' where id = $1
           returning held_until::text as until`,
          [address.split('/').at(-1), seconds],
        )
        return rows[0]?.until
      }
      const until = await hold(0.7)
      expect((await uploads.patch(address, 0, 'hay')).status).toBe(204)
      const { rows } = await uploads.server.database.pool.query('select now() > $1 as over', [until])
      expect(rows).toEqual([{ over: true }])

      const asked = await broken(address, 3, 3, Buffer.from('b'))
      const answered = new Promise<number | undefined>((resolve) => {
        asked.on('response', ({ statusCode }) => resolve(statusCode))
      })
      await hold(0.5)
      asked.end('ay')
      expect(await answered).toBe(423)
      expect(await uploads.offsetOf(address)).toBe(3)
    })

    test('bytes that are all there become the object, also when the server stopped just before', async () => {
      const address = await uploads.begun('almost.txt', 3)
      // As a kill between the last byte and the object's row leaves it.
      const backend = await openBackend(uploads.server.services.config)
      const version = address.split('/').at(-1) as string
      const place = { bucket: 'shed', name: 'almost.txt', version }
      await backend.parts.append(
        place,
        { offset: 0 },
        Readable.from([Buffer.from('hay')]),
        3,
        async (safe) => {
          await uploads.server.database.pool.query(
            'update storage.resumable_uploads set received = $2, progress = $3 where id = $1',
            [version, safe.offset, safe.state === undefined ? null : JSON.stringify(safe.state)],
          )
        },
      )
      backend.close?.()
      expect(await uploads.offsetOf(address)).toBe(3)
      expect((await uploads.download('almost.txt'))?.toString()).toBe('hay')
    })
  })
})

test('any server on the same database and bucket goes on with an upload', async () => {
  const store = await startObjectStore()
  // One secret makes the two take each other's tokens, as replicas do.
  const env = { ...store.env, JWT_SECRET: randomBytes(32).toString('hex') }
  const first = await startTestServer({ env })
  const second = await startTestServer({ env: { ...env, DATABASE_URL: first.services.database.url } })
  try {
    await makeBucket(stranger(first, first.secretKey), 'shed')
    const bytes = randomBytes(11 * MEBIBYTE)
    const headers = { 'tus-resumable': '1.0.0', authorization: `Bearer ${first.secretKey}` }
    const begun = await fetch(`${first.url}/storage/v1/upload/resumable`, {
      method: 'POST',
      headers: {
        ...headers,
        'upload-length': String(bytes.length),
        'upload-metadata': encoded({ bucketName: 'shed', objectName: 'hay.bin' }),
      },
    })
    const address = begun.headers.get('location') as string
    // Each piece elsewhere than the one before, none of the size of a part of S3's.
    const PIECE = 3 * MEBIBYTE
    for (let offset = 0, turn = 1; offset < bytes.length; offset += PIECE, turn++) {
      const server = turn % 2 === 0 ? first : second
      const response = await fetch(new URL(address, server.url), {
        method: 'PATCH',
        headers: {
          ...headers,
          'upload-offset': String(offset),
          'content-type': 'application/offset+octet-stream',
        },
        body: bytes.subarray(offset, offset + PIECE) as NonNullable<RequestInit['body']>,
      })
      expect([response.status, await response.text()]).toEqual([204, ''])
    }
    const { data } = await stranger(second, first.secretKey).storage.from('shed').download('hay.bin')
    expect(data && Buffer.from(await data.arrayBuffer()).equals(bytes)).toBe(true)
  } finally {
    await second.stop()
    await first.stop()
    await store.stop()
  }
})
