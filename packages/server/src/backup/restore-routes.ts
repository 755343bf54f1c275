// The contents of a backup, the ways to restore from it, and what a restore did not reach.
import { ConfigError } from '../config/config.ts'
import { type Manifest, type Manifests, readManifests } from './base-backup.ts'
import { formatLsn, parseLsn } from './lsn.ts'
import type { BackupRepository } from './repository.ts'
import { type Route, readTimelines, routesTo, type Timeline, timelinesAt } from './timelines.ts'
import { endOfLog, type LogEnd, listParts, type Part, weighPart } from './wal-parts.ts'

export interface Contents extends Manifests {
  parts: Part[]
  timelines: Timeline[]
}

/** Reads the names of everything in a backup, and its small files. */
export async function readContents(repository: BackupRepository): Promise<Contents> {
  const manifests = await readManifests(repository)
  const parts = await listParts(repository)
  return { ...manifests, parts, timelines: await readTimelines(repository, manifests.bases, parts) }
}

/** The ways to restore, the best first, one at least. Throws ConfigError where there is none. */
export function chooseRoutes(
  { bases, unusable, timelines }: Contents,
  { to, base }: { to?: Date; base?: string },
): Route[] {
  if (to && to.getTime() > Date.now()) throw new ConfigError([`--to: ${to.toISOString()} is in the future`])
  const damages = [...unusable].map(([id, reason]) => `  ${id}: ${reason}`)
  if (base !== undefined && !bases.some(({ id }) => id === base)) {
    const reason = unusable.get(base)
    throw new ConfigError([
      reason
        ? `--base: ${base} cannot be used: ${reason}`
        : `--base: there is no base backup ${base}; those that there are: ${bases.map(({ id }) => id).join(', ')}`,
    ])
  }
  if (bases.length === 0)
    throw new ConfigError([
      'BACKUP_DIR: has no base backup that can be used; nothing was restored',
      ...damages,
    ])
  const wanted = base === undefined ? bases : bases.filter(({ id }) => id === base)
  const routes = routesTo(to, timelines, wanted)
  if (routes.length > 0) return routes
  throw new ConfigError([
    `--to: ${to?.toISOString()} is before the end of ${base ? `base backup ${base}` : 'the oldest base backup'} (${wanted[0]?.endedAt})`,
    ...damages,
  ])
}

/** Why less was restored than there is, or than was asked for; null when it was not. */
export function shortfallOf({
  contents: { bases, parts, timelines },
  route,
  to,
  isReached,
  end,
  damage,
}: {
  contents: Contents
  route: Route
  to: Date | undefined
  isReached: boolean
  end: LogEnd
  damage: string | null
}): string | null {
  const written = parts
    .filter(({ timeline }) => timeline === route.timeline)
    .map(({ writtenAt }) => writtenAt.getTime())
  const holds = new Date(Math.max(0, end.at?.getTime() ?? 0, ...written))
  const [newest] = timelinesAt(timelines, to)
  if (newest && newest.id !== route.timeline)
    return `what was written on timeline ${newest.id} (since ${newest.began?.toISOString()}) is not restored: no usable base backup leads there`
  if (isReached) return null
  if (damage) return `the backup holds what was written until ${holds.toISOString()}: ${damage}`
  if (end.timeline !== route.timeline)
    return `the log of timeline ${route.timeline}, which began after ${formatLsn(end.lsn)}, is missing`
  const later = bases.find(
    ({ timeline, stopLsn }) => timeline === end.timeline && parseLsn(stopLsn) > end.lsn,
  )
  if (later)
    return `the log from ${formatLsn(end.lsn)} on is missing, which base backup ${later.id} of ${later.endedAt} had`
  if (to && end.at && end.at < to)
    return `asked for was ${to.toISOString()}, and the backup ends at ${end.at.toISOString()}`
  return null
}

export interface Listed {
  id: string
  /** Null for one that cannot be used. */
  base: Manifest | null
  timeline: number | null
  /** The moment up to which the log can be followed from there; null for none. */
  reaches: Date | null
  /** Why it cannot be used, or not be followed further. */
  fault: string | null
  /** See Manifests. */
  isUnfinished: boolean
}

/** Every base backup, and how far each goes: by the names and sizes of files, which are not read. */
export async function listRoutes(repository: BackupRepository): Promise<Listed[]> {
  const contents = await readContents(repository)
  const listed: Listed[] = [...contents.unusable].map(([id, fault]) => ({
    id,
    base: null,
    timeline: null,
    reaches: null,
    fault,
    isUnfinished: contents.unfinished.has(id),
  }))
  for (const base of contents.bases) {
    const [route] = routesTo(undefined, contents.timelines, [base]) as [Route]
    const { at, fault, lsn } = await endOfLog(repository, route.path, weighPart)
    const isWhole = lsn >= parseLsn(base.stopLsn)
    const reaches = at && isWhole ? new Date(Math.max(at.getTime(), Date.parse(base.endedAt))) : null
    listed.push({
      id: base.id,
      base,
      timeline: route.timeline,
      reaches,
      fault: fault ?? (isWhole ? null : 'its log is missing'),
      isUnfinished: false,
    })
  }
  return listed.sort((a, b) => (a.id < b.id ? -1 : 1))
}
