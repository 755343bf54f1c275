// The files of a backup, and ways to damage them, for tests of restoring.
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseLsn } from '@meadowlark/server/backup/lsn.ts'

/** The names of the whole base backups, the oldest first. */
export function basesIn(backup: string): string[] {
  try {
    return readdirSync(join(backup, 'base')).filter((id) =>
      readdirSync(join(backup, 'base', id)).includes('manifest.json'),
    )
  } catch {
    return []
  }
}

/** Parts of a timeline's log, by their first bytes. */
export function parts(backup: string, timeline: number): string[] {
  const at = join(backup, 'wal', `0000000${timeline}`)
  const begin = (name: string) => /([0-9A-F]{16})-[0-9A-F]{16}(\.gz)?$/.exec(name)?.[1] ?? ''
  return readdirSync(at)
    .sort((a, b) => (begin(a) < begin(b) ? -1 : 1))
    .map((name) => join(at, name))
}
/** Changes one byte: the one at `at`, or the middle one. */
export const flip = (path: string, at?: number) => {
  const bytes = readFileSync(path)
  const place = at ?? Math.floor(bytes.length / 2)
  bytes[place] = (bytes[place] as number) ^ 0xff
  writeFileSync(path, bytes)
}
/** As earlier versions named the parts. */
export const withoutChecksums = (backup: string) => {
  for (const path of [1, 2].flatMap((timeline) => parts(backup, timeline)))
    renameSync(path, path.replace(/[0-9a-f]{16}-(?=[0-9A-F]{16}-)/, ''))
}
/** Where the checksum of a segment's first record is: after the page's header, and twenty bytes of the record's. */
export const FIRST_RECORD_CRC = 60
export const tar = (backup: string, id: string) => join(backup, 'base', id, 'postgres.tar.gz')

/** The first part of the segment that follows a base backup: the rest of the one before is filled with zeros. */
export function afterBase(backup: string, timeline: number, base: string): string {
  const manifest = join(backup, 'base', base, 'manifest.json')
  const { stopLsn, segmentBytes } = JSON.parse(readFileSync(manifest, 'utf8'))
  const size = BigInt(segmentBytes)
  const next = ((parseLsn(stopLsn) + size - 1n) / size) * size
  const begin = (path: string) => BigInt(`0x${/([0-9A-F]{16})-[0-9A-F]{16}(\.gz)?$/.exec(path)?.[1]}`)
  return parts(backup, timeline).find((path) => begin(path) >= next) as string
}
