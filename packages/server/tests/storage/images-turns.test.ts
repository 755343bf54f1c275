// The order of image transformations, and the limit of waiting requests of a caller.
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Backend } from '../../src/storage/backend/backend.ts'
import { openDisk } from '../../src/storage/backend/disk.ts'
import type { ObjectRow } from '../../src/storage/download/serve.ts'
import { createImages, type Images } from '../../src/storage/images/images.ts'
import { asked, drawing, keptIn } from './pictures.ts'

const folder = mkdtempSync(join(tmpdir(), 'meadowlark-images-'))
let backend: Backend
beforeAll(async () => {
  backend = await openDisk(join(folder, 'objects'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('turns', () => {
  const AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2))
  let album: ObjectRow
  let portrait: ObjectRow
  let slow: Images
  /** Versions of the pictures that are being made or were made, in order, and how to let the oldest go on. */
  let begun: (string | null)[]
  let held: (() => void)[]

  beforeEach(async () => {
    const picture = await drawing(100, 100).png().toBuffer()
    ;[album, portrait] = await Promise.all([
      keptIn(backend, picture, 'image/png'),
      keptIn(backend, picture, 'image/png'),
    ])
    begun = []
    held = []
    const get: Backend['get'] = async (object, range) => {
      if (!range) {
        begun.push(object.version)
        await new Promise<void>((resolve) => held.push(resolve))
      }
      return backend.get(object, range)
    }
    slow = createImages({ ...backend, get }, folder)
    // The type of the files is known from here on, so a request enters the queue at once.
    const known = [album, portrait].map((row) => slow.render(asked('ada'), row, { width: 99 }))
    await Promise.all([...known, releaseAll(2)])
    begun = []
  })

  const release = async () => {
    await expect.poll(() => held.length).toBeGreaterThan(0)
    held.shift()?.()
  }
  const releaseAll = async (count: number) => {
    for (let n = 0; n < count; n++) await release()
  }
  const render = (caller: ReturnType<typeof asked>, row: ObjectRow, height: number) =>
    slow.render(caller, row, { width: 1, quality: 20, height }).then(
      ({ status }) => ({ status, retryAfter: undefined }),
      ({ statusCode, retryAfter }) => ({ status: statusCode, retryAfter }),
    )
  const many = (count: number) => Array.from({ length: count }, (_, n) => render(asked('sam'), album, n + 1))
  const queued = () => new Promise(setImmediate)

  test('go to a caller with one picture before a caller with many, asked for earlier', async () => {
    const bulk = many(40)
    await expect.poll(() => begun.length).toBe(AT_ONCE)
    const one = render(asked('grace'), portrait, 1)
    await queued()
    await release()
    await expect.poll(() => begun.length).toBe(AT_ONCE + 1)
    expect(begun.at(-1)).toBe(portrait.version)
    await Promise.all([...bulk, one, releaseAll(40)])
  })

  test('count for each who wants the same picture, which is made once', async () => {
    const bulk = many(40)
    await expect.poll(() => begun.length).toBe(AT_ONCE)
    const last = render(asked('grace'), album, 40)
    await queued()
    // Those under way, and then the last of the forty.
    await releaseAll(AT_ONCE + 1)
    expect([await last, await bulk.at(-1)]).toEqual([{ status: 200 }, { status: 200 }])
    await Promise.all([...bulk, releaseAll(39 - AT_ONCE)])
    expect(begun).toHaveLength(40)
  })

  test('are not kept for clients that have gone', async () => {
    const bulk = many(AT_ONCE)
    const controller = new AbortController()
    const gone = render({ ...asked('grace'), signal: controller.signal }, portrait, 1)
    await queued()
    controller.abort()
    await releaseAll(AT_ONCE)
    await Promise.all([...bulk, gone])
    expect(begun).toHaveLength(AT_ONCE)
  })

  test('of one caller wait in no greater number than 200; all that wait are answered', async () => {
    const bulk = many(300)
    await Promise.all([...bulk.slice(200 + AT_ONCE), queued()])
    const other = render(asked('grace'), portrait, 1)
    const answers = Promise.all([...bulk, other])
    await releaseAll(201 + AT_ONCE)
    const count = (status: number) => answers.then((all) => all.filter((one) => one.status === status).length)
    expect(await count(200)).toBe(201 + AT_ONCE)
    expect(await count(429)).toBe(100 - AT_ONCE)
    expect((await bulk.at(-1))?.retryAfter).toBe(5)
  })
})
