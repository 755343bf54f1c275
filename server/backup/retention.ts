// Which parts of a backup are no longer needed: base backups before the last one that is older than they are to be kept,
// the log before the oldest that stays, and objects that no moment from then on has.
import { text } from 'node:stream/consumers'
import { listBaseBackups, type Manifest, objectsName } from './base-backup.ts'
import { parseLsn } from './lsn.ts'
import { listObjectFiles } from './object-files.ts'
import type { BackupPlace } from './place.ts'
import type { WalArchive } from './wal-archive.ts'

const DAY_MS = 86_400_000

/** Removes what is needed for no moment of the last `keepDays` days. Resolves with the oldest that stays. */
export async function removeOld(
  place: BackupPlace,
  archive: WalArchive,
  { keepDays, now = Date.now() }: { keepDays: number; now?: number },
): Promise<Manifest | undefined> {
  const all = await listBaseBackups(place)
  const from = now - keepDays * DAY_MS
  // To restore to the first moment of that time one takes the last that had ended by then.
  const first = all.findLastIndex(({ endedAt }) => Date.parse(endedAt) <= from)
  const oldest = all[Math.max(first, 0)]
  if (!oldest) return undefined
  const stays = new Set(all.slice(Math.max(first, 0)).map(({ id }) => id))
  const files = await place.list('base/')
  const isWhole = new Set(all.map(({ id }) => id))
  const removable = files.filter(({ name, writtenAt }) => {
    const id = name.split('/')[1] ?? ''
    // One without a manifest is under way, unless it is old: then its writer was killed.
    return isWhole.has(id) ? !stays.has(id) : writtenAt.getTime() < now - DAY_MS
  })
  // The manifest goes first: what is left of a removal that was cut short counts no more.
  await place.remove(removable.filter(({ name }) => name.endsWith('.json')).map(({ name }) => name))
  await place.remove(removable.map(({ name }) => name))
  if (all.every(({ timeline }) => timeline === oldest.timeline))
    await archive.removeBefore(parseLsn(oldest.startLsn))
  const live = new Set((await text(await place.read(objectsName(oldest.id)))).split('\n'))
  const gone = [...(await listObjectFiles(place))].filter(
    ([version, { writtenAt }]) => !live.has(version) && writtenAt.getTime() < Date.parse(oldest.startedAt),
  )
  await place.remove(gone.map(([, { name }]) => name))
  return oldest
}
