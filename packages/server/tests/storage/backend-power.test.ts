// A power cut takes what was not synced: whatever the disk has acknowledged, bytes and name, must be synced by then.
import { randomBytes, randomUUID } from 'node:crypto'
import { fstatSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Backend, Missing, type ObjectVersion } from '../../src/storage/backend/backend.ts'
import { openDisk } from '../../src/storage/backend/disk.ts'

const root = mkdtempSync(join(tmpdir(), 'meadowlark-power-'))
const options = { maxBytes: 64 * 1024 * 1024, contentType: 'text/plain', cacheControl: 'max-age=3600' }
const place = (): ObjectVersion => ({ bucket: 'shed', name: 'hay.bin', version: randomUUID() })
const hayOf = (bytes: Buffer) =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, at) =>
      bytes.subarray(at * 65_536, (at + 1) * 65_536),
    ),
  )

/** By inode: whether all that was written is synced, and which names of a folder are. */
const dirty = new Map<number, number>()
const names = new Map<number, Set<string>>()
let restore: () => void
let backend: Backend

beforeAll(async () => {
  const handle = await open(root)
  const methods = Object.getPrototypeOf(handle) as Record<string, (...given: unknown[]) => Promise<unknown>>
  await handle.close()
  const kept: (() => void)[] = []
  const watch = (name: string, begun: (file: FileHandle) => (() => void) | undefined) => {
    const own = methods[name] as (...given: unknown[]) => Promise<unknown>
    kept.push(() => {
      methods[name] = own
    })
    methods[name] = async function watched(this: FileHandle, ...given) {
      const over = begun(this)
      const result = await own.apply(this, given)
      over?.()
      return result
    }
  }
  let clock = 0
  for (const name of ['write', 'writev', 'truncate']) {
    watch(
      name,
      ({ fd }) =>
        () =>
          void dirty.set(fstatSync(fd).ino, ++clock),
    )
  }
  for (const name of ['sync', 'datasync']) {
    watch(name, ({ fd }) => {
      const { ino } = fstatSync(fd)
      const at = dirty.get(ino)
      const folder = fstatSync(fd).isDirectory() ? new Set(readdirSync(`/proc/self/fd/${fd}`)) : null
      return () => {
        if (dirty.get(ino) === at) dirty.delete(ino)
        if (folder) names.set(ino, folder)
      }
    })
  }
  restore = () => {
    for (const back of kept) back()
  }
})

beforeEach(async () => {
  backend = await openDisk(root)
})

afterAll(() => {
  restore()
  rmSync(root, { recursive: true, force: true })
})

/** Whether the file would be there, whole, after a power cut now. */
function survives(folder: string, name: string): boolean {
  const synced = names.get(statSync(join(root, folder)).ino)?.has(name) ?? false
  return synced && !dirty.has(statSync(join(root, folder, name)).ino)
}
const isKept = ({ version }: ObjectVersion) => survives(join('objects', version.slice(0, 2)), version)

test.each([0, 10, 70_000, 9_000_000])('an upload of %i bytes', async (size) => {
  const at = place()
  const { size: told } = await backend.put(at, hayOf(randomBytes(size)), options)
  expect(told).toBe(size)
  expect(isKept(at)).toBe(true)
})

test('a copy', async () => {
  const [from, to] = [place(), place()]
  await backend.put(from, hayOf(randomBytes(100_000)), options)
  await backend.copy(from, to)
  expect(isKept(to)).toBe(true)
})

test('each piece of a resumable upload as it is acknowledged, and the whole', async () => {
  const at = place()
  const bytes = randomBytes(20_000_000)
  let progress = { offset: 0 }
  const save = async (reached: { offset: number }) => {
    expect(survives('resumable', at.version)).toBe(true)
    expect(statSync(join(root, 'resumable', at.version)).size).toBeGreaterThanOrEqual(reached.offset)
    progress = reached
  }
  await backend.parts.append(at, progress, hayOf(bytes.subarray(0, 18_000_000)), bytes.length, save)
  await backend.parts.append(at, progress, hayOf(bytes.subarray(18_000_000)), bytes.length, save)
  expect(progress).toEqual({ offset: bytes.length })
  await backend.parts.finish(at, progress, options)
  expect(isKept(at)).toBe(true)
  // Once more, as after a kill just before the end was written down.
  names.clear()
  await backend.parts.finish(at, progress, options)
  expect(isKept(at)).toBe(true)
})

test('the folders that files are put in', () => {
  expect(names.get(statSync(join(root, 'objects')).ino)).toEqual(new Set(readdirSync(join(root, 'objects'))))
})

test('a piece whose bytes are gone all the same is missing, and not made up of zeros', async () => {
  const at = place()
  await backend.parts.append(at, { offset: 0 }, hayOf(randomBytes(1000)), 2000, async () => {})
  truncateSync(join(root, 'resumable', at.version), 500)
  const more = () =>
    backend.parts.append(at, { offset: 1000 }, hayOf(randomBytes(1000)), 2000, async () => {})
  await expect(more()).rejects.toBeInstanceOf(Missing)
  await expect(backend.parts.finish(at, { offset: 1000 }, options)).rejects.toBeInstanceOf(Missing)
  rmSync(join(root, 'resumable', at.version))
  await expect(more()).rejects.toBeInstanceOf(Missing)
  await expect(backend.parts.finish(at, { offset: 1000 }, options)).rejects.toBeInstanceOf(Missing)
  expect(readdirSync(join(root, 'resumable'))).not.toContain(at.version)
})
