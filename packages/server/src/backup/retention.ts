// Removes what a backup no longer needs. Base backups stay while a moment to be kept is restored from them; then go the log
// that none of them needs, and objects that no moment from then on has.
import { text } from 'node:stream/consumers'
import { type Manifest, manifestName, objectsName } from './base-backup.ts'
import { DamagedError, unreadable } from './damage.ts'
import { listObjectFiles } from './object-files.ts'
import type { BackupRepository } from './repository.ts'
import { type Contents, readContents } from './restore-routes.ts'
import { pathFrom, routesTo } from './timelines.ts'
import type { Part } from './wal-parts.ts'

const DAY_MS = 86_400_000

/**
 * Removes what is needed for no moment of the last `keepDays` days. Resolves with the oldest usable base backup that stays.
 * `warn` receives damage because of which more is retained. Throws where the backup repository cannot be read now.
 */
export async function removeOld(
  repository: BackupRepository,
  { keepDays, warn, now = Date.now() }: { keepDays: number; warn: (fault: string) => void; now?: number },
): Promise<Manifest | undefined> {
  const contents = await readContents(repository)
  const { bases, unusable, unfinished, timelines } = contents
  const from = new Date(now - keepDays * DAY_MS)
  // The first moment to be kept, and those at which a later timeline began, each need the base backup they are restored from.
  const moments = [from, ...timelines.flatMap(({ began }) => (began && began > from ? [began] : []))]
  // All of them stay while the backup does not go back to the first moment.
  const needed = moments.map((moment) => routesTo(moment, timelines, bases)[0]?.base.endedAt ?? '')
  const first = needed.sort()[0] ?? ''
  const stay = bases.filter(({ endedAt }) => endedAt >= first)
  const oldest = stay[0]
  if (!oldest) return undefined
  const past = new Set(bases.filter((base) => !stay.includes(base)).map(({ id }) => id))
  const files = await repository.list('base/')
  const removable = files.filter(({ name, writtenAt }) => {
    const id = name.split('/')[1] ?? ''
    if (!unusable.has(id)) return past.has(id)
    // Without a manifest it is under way, or was cut off. A damaged one was the newest for a day after it was taken.
    const days = unfinished.has(id) ? 1 : keepDays + 1
    return writtenAt.getTime() < now - days * DAY_MS
  })
  // The manifest goes first: what is left of a removal that was cut short counts no more.
  await repository.remove(removable.filter(({ name }) => name.endsWith('.json')).map(({ name }) => name))
  await repository.remove(removable.map(({ name }) => name))
  const removed = new Set(removable.map(({ name }) => name))
  const damaged = [...unusable].find(([id]) => !unfinished.has(id) && !removed.has(manifestName(id)))
  if (damaged) {
    // A file that is put back from a copy makes it whole, and it needs the log and the objects of its time then.
    warn(`${damaged[1]}; old parts of the log and old objects stay`)
    return oldest
  }
  await repository.remove(unneeded(contents, stay).map(({ name }) => name))
  const live = await liveIn(repository, stay).catch((error) => {
    if (!(error instanceof DamagedError)) throw error
    warn(`${error.message}; old objects stay`)
    return null
  })
  if (!live) return oldest
  const gone = [...(await listObjectFiles(repository))].filter(
    ([version, { writtenAt }]) => !live.has(version) && writtenAt.getTime() < Date.parse(oldest.startedAt),
  )
  await repository.remove(gone.map(([, { name }]) => name))
  return oldest
}

/** The versions of objects that these base backups have. Throws DamagedError where a list of them is missing. */
async function liveIn(repository: BackupRepository, bases: Manifest[]): Promise<Set<string>> {
  const live = new Set<string>()
  for (const { id } of bases) {
    const name = objectsName(id)
    const listed = await repository
      .read(name)
      .then(text)
      .catch((error) => {
        throw unreadable(name, error)
      })
    for (const version of listed.split('\n')) live.add(version)
  }
  return live
}

/** The log before the first byte that a base backup of `stay` needs, timeline by timeline. */
function unneeded({ parts, timelines }: Contents, stay: Manifest[]): Part[] {
  const segmentBytes = BigInt(stay[0]?.segmentBytes ?? 1)
  const paths = timelines.flatMap((timeline) => stay.flatMap((base) => pathFrom(base, timeline) ?? []))
  return parts.filter(({ timeline, end }) => {
    const own = paths.filter((stretch) => stretch.timeline === timeline)
    // By whole segments: the one in which a timeline begins is joined from its first byte on.
    return own.every(({ from }) => end <= from - (from % segmentBytes))
  })
}
