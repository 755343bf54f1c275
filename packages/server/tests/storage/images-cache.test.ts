// Which finished pictures are kept on disk, how many of them, and for how long.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openImageCache } from '../../src/storage/images/cache.ts'

const folder = mkdtempSync(join(tmpdir(), 'meadowlark-pictures-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the cache stays within its bound, and lets go of what is asked for least', async () => {
  const place = join(folder, 'bound')
  const version = randomUUID()
  let cache = openImageCache(place, 1000)
  for (const name of ['a', 'b', 'c']) await cache.write(version, name, Buffer.alloc(300, name))
  expect((await cache.read(version, 'a'))?.toString()).toBe('a'.repeat(300))
  await cache.write(version, 'd', Buffer.alloc(300, 'd'))
  expect(await cache.read(version, 'b')).toBe(null)
  for (const name of ['a', 'c', 'd']) expect((await cache.read(version, name))?.length).toBe(300)
  await cache.write(version, 'e', Buffer.alloc(1001))
  expect(await cache.size()).toBe(900)
  writeFileSync(join(place, `${randomUUID()}.new`), 'half')
  cache = openImageCache(place, 1000)
  expect(await cache.size()).toBe(900)
  expect(readdirSync(place)).toHaveLength(3)
  // A file that something else has cut short is not a picture.
  for (const name of readdirSync(place)) writeFileSync(join(place, name), '')
  expect(await cache.read(version, 'a')).toBe(null)
})

test('images made of a version are deleted with it', async () => {
  const cache = openImageCache(join(folder, 'gone'), 1000)
  const [one, other] = [randomUUID(), randomUUID()]
  for (const key of ['small', 'large'])
    for (const version of [one, other]) await cache.write(version, key, Buffer.alloc(9))
  await cache.forget([one, randomUUID()])
  expect([await cache.read(one, 'small'), await cache.read(one, 'large')]).toEqual([null, null])
  expect((await cache.read(other, 'small'))?.length).toBe(9)
  expect(readdirSync(join(folder, 'gone'))).toHaveLength(2)
})
