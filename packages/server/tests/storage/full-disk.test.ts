// A disk that is full, that of the files and that of PostgreSQL: uploads get an error that says so, and refused bytes
// leave nothing. The disks are small separate ones in memory, which only root can mount.
import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ExternalPostgres, startExternalPostgres } from '../support/external-postgres.ts'
import { PASSWORD, signedIn } from '../support/people.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { encoded, MEBIBYTE, tokenOf } from './resumable.ts'

const isRoot = process.platform === 'linux' && process.getuid?.() === 0
const FULL = {
  statusCode: '507',
  error: 'InsufficientStorage',
  message: 'There is no room for more bytes; nothing was stored',
}

/** Mounts a disk of so many megabytes; returns how to take it away. */
function mountSmall(folder: string, megabytes: number): () => void {
  mkdirSync(folder, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  return () => {
    execFileSync('umount', ['-l', folder])
  }
}

/** Bytes of each file below the folder that are objects, or on the way to be one. */
function filesIn(storage: string): number[] {
  const entries = readdirSync(storage, { recursive: true, withFileTypes: true })
  return entries.filter((one) => one.isFile()).map((one) => statSync(join(one.parentPath, one.name)).size)
}

describe.skipIf(!isRoot)('a full disk', () => {
  let dataDir: string
  let storage: string
  let unmount: () => void
  let postgres: ExternalPostgres
  let server: TestServer
  let headers: Record<string, string>

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'meadowlark-full-'))
    storage = join(dataDir, 'storage')
    unmount = mountSmall(storage, 6)
    postgres = await startExternalPostgres()
    server = await startTestServer({ env: { DATA_DIR: dataDir, DATABASE_URL: postgres.url } })
    await server.database.pool.query(`
      insert into storage.buckets (id, name) values ('shed', 'shed');
      create policy everyone on storage.objects for all to authenticated using (true) with check (true)`)
    const grace = await signedIn(server, 'grace')
    headers = { apikey: server.publishableKey, authorization: `Bearer ${await tokenOf(grace)}` }
  })
  afterAll(async () => {
    await server?.stop()
    await postgres?.remove()
    unmount?.()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const send = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
    fetch(`${server.url}${path}`, { ...init, headers: { ...headers, ...init.headers } })
  const object = (name: string) => `/storage/v1/object/shed/${name}`
  const bytes = (megabytes: number) => Buffer.alloc(megabytes * MEBIBYTE, 'x')
  const tus = (method: string, path: string, more: Record<string, string>, body?: Buffer) =>
    send(path, {
      method,
      headers: { 'tus-resumable': '1.0.0', ...more },
      ...(body ? { body: new Uint8Array(body) } : {}),
    })
  const CHUNK = 'application/offset+octet-stream'
  const described = (name: string, size: number) => ({
    'upload-length': String(size),
    'upload-metadata': encoded({ bucketName: 'shed', objectName: name }),
  })

  test('uploads that do not fit are refused with 507 and leave nothing; what is there stays as it was', async () => {
    expect((await send(object('first'), { method: 'POST', body: bytes(4) })).status).toBe(200)
    const form = new FormData()
    form.append('', new Blob([bytes(4)]), 'form')
    for (const refused of [
      await send(object('second'), { method: 'POST', body: bytes(4) }),
      await send(object('first'), { method: 'PUT', body: bytes(4) }),
      await send(object('form'), { method: 'POST', body: form }),
    ]) {
      expect([refused.status, await refused.json()]).toEqual([507, FULL])
    }
    expect(filesIn(storage)).toEqual([4 * MEBIBYTE])
    const kept = await send(object('authenticated/../first').replace('authenticated/../', ''))
    expect((await kept.arrayBuffer()).byteLength).toBe(4 * MEBIBYTE)
    const { rows } = await server.database.pool.query('select name from storage.objects')
    expect(rows).toEqual([{ name: 'first' }])
  })

  test('a resumable upload keeps its saved bytes, and goes on when there is space', async () => {
    const whole = await tus(
      'POST',
      '/storage/v1/upload/resumable',
      { ...described('with its bytes', 4 * MEBIBYTE), 'content-type': CHUNK },
      bytes(4),
    )
    expect([whole.status, whole.headers.get('location')]).toEqual([507, null])
    const left = await server.database.pool.query('select from storage.resumable_uploads')
    expect([filesIn(storage), left.rowCount]).toEqual([[4 * MEBIBYTE], 0])

    const begun = await tus('POST', '/storage/v1/upload/resumable', described('later', 4 * MEBIBYTE))
    const address = new URL(begun.headers.get('location') as string, server.url).pathname
    const part = (offset: number) =>
      tus(
        'PATCH',
        address,
        { 'upload-offset': String(offset), 'content-type': CHUNK },
        bytes(4).subarray(offset),
      )
    const refused = await part(0)
    expect([refused.status, await refused.text()]).toEqual([507, FULL.message])
    const offset = Number((await tus('HEAD', address, {})).headers.get('upload-offset'))
    // No byte takes room that does not count.
    expect(filesIn(storage).sort()).toEqual([offset, 4 * MEBIBYTE].sort())

    expect((await send(object('first'), { method: 'DELETE' })).status).toBe(200)
    expect((await part(offset)).status).toBe(204)
    expect(filesIn(storage)).toEqual([4 * MEBIBYTE])
    expect((await send(object('later'), { method: 'DELETE' })).status).toBe(200)
    expect(filesIn(storage)).toEqual([])
  })

  test("PostgreSQL's own: uploads read 507, all else 503 and when to come again, and both work once there is room", async () => {
    const small = join(postgres.directory, 'small')
    const take = mountSmall(small, 2)
    const { uid, gid } = statSync(join(postgres.directory, 'postgres'))
    chownSync(small, uid, gid)
    const { pool } = server.database
    try {
      await pool.query(`create tablespace small location '${small}'`)
      await pool.query('create table public.filler (text text) tablespace small')
      // Few rows fit on a page of these, so that each soon wants one more.
      for (const table of ['storage.objects', 'auth.sessions', 'public.apples']) {
        if (table === 'public.apples')
          await pool.query(`create table ${table} (text text); grant all on ${table} to authenticated`)
        await pool.query(`alter table ${table} set (fillfactor = 10)`)
        await pool.query(`alter table ${table} set tablespace small`)
      }
      await server.database.pool.query(`notify pgrst, 'reload schema'`)
      await expect.poll(async () => (await send('/rest/v1/apples?select=text')).status).toBe(200)
      const full = await pool
        .query(`insert into public.filler select repeat(md5(n::text), 60) from generate_series(1, 4000) n`)
        .catch((error) => error)
      expect(full.code).toBe('53100')

      /** Asks until it is refused. */
      const rejection = async (ask: (n: number) => Promise<Response>) => {
        for (let n = 0; ; n++) {
          const response = await ask(n)
          if (!response.ok || n === 20) return response
          await response.arrayBuffer()
        }
      }
      const upload = await rejection((n) => send(object(`small ${n}`), { method: 'POST', body: 'text' }))
      expect([upload.status, await upload.json()]).toEqual([507, FULL])
      const json = { 'content-type': 'application/json' }
      const write = await rejection(() =>
        send('/rest/v1/apples', {
          method: 'POST',
          headers: json,
          body: JSON.stringify({ text: 'x'.repeat(1000) }),
        }),
      )
      expect([write.status, write.headers.get('retry-after'), (await write.json()).code]).toEqual([
        503,
        '1',
        '53100',
      ])
      const account = JSON.stringify({ email: 'grace@example.com', password: PASSWORD })
      const signIn = await rejection(() =>
        send('/auth/v1/token?grant_type=password', { method: 'POST', headers: json, body: account }),
      )
      expect([signIn.status, signIn.headers.get('retry-after')]).toEqual([503, '1'])

      const { rows } = await pool.query('select count(*)::int as count from storage.objects')
      expect(filesIn(storage)).toHaveLength(rows[0].count)
      await pool.query('drop table public.filler')
      expect((await send(object('fits'), { method: 'POST', body: 'text' })).status).toBe(200)
    } finally {
      await postgres.stop()
      take()
    }
  })
})
