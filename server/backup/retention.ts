// Which parts of a backup are no longer needed: base backups that no moment to be kept is restored from, the log that no
// remaining one needs, and objects that no moment from then on has.
import { text } from 'node:stream/consumers'
import { type Manifest, objectsName } from './base-backup.ts'
import { listObjectFiles } from './object-files.ts'
import type { BackupPlace } from './place.ts'
import { type Contents, readContents } from './routes.ts'
import { pathFrom, routesTo } from './timelines.ts'
import type { Part } from './wal-parts.ts'

const DAY_MS = 86_400_000

/** Removes what is needed for no moment of the last `keepDays` days. Resolves with the oldest that stays. */
export async function removeOld(
  place: BackupPlace,
  { keepDays, now = Date.now() }: { keepDays: number; now?: number },
): Promise<Manifest | undefined> {
  const contents = await readContents(place)
  const { bases, unusable, timelines } = contents
  const from = new Date(now - keepDays * DAY_MS)
  // The first moment to be kept, and those at which a later timeline began, each need the base backup they are restored from.
  const moments = [from, ...timelines.flatMap(({ began }) => (began && began > from ? [began] : []))]
  // All of them stay while the backup does not go back to the first moment.
  const needed = moments.map((moment) => routesTo(moment, timelines, bases)[0]?.base.endedAt ?? '')
  const first = needed.sort()[0] ?? ''
  const stay = bases.filter(({ endedAt }) => endedAt >= first)
  const oldest = stay[0]
  if (!oldest) return undefined
  const staying = new Set(stay.map(({ id }) => id))
  const files = await place.list('base/')
  const removable = files.filter(({ name, writtenAt }) => {
    const id = name.split('/')[1] ?? ''
    // One that cannot be used is under way, unless it is old.
    return unusable.has(id) ? writtenAt.getTime() < now - DAY_MS : !staying.has(id)
  })
  // The manifest goes first: what is left of a removal that was cut short counts no more.
  await place.remove(removable.filter(({ name }) => name.endsWith('.json')).map(({ name }) => name))
  await place.remove(removable.map(({ name }) => name))
  await place.remove(unneeded(contents, stay).map(({ name }) => name))
  const live = new Set<string>()
  for (const { id } of stay)
    for (const version of (await text(await place.read(objectsName(id)))).split('\n')) live.add(version)
  const gone = [...(await listObjectFiles(place))].filter(
    ([version, { writtenAt }]) => !live.has(version) && writtenAt.getTime() < Date.parse(oldest.startedAt),
  )
  await place.remove(gone.map(([, { name }]) => name))
  return oldest
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
