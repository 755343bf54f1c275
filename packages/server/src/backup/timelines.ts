// Timelines: each restore that a server is started on begins one, and its history file names the ones it came from.
// https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-TIMELINES
import { text } from 'node:stream/consumers'
import type { Manifest } from './base-backup.ts'
import { hex, parseLsn } from './lsn.ts'
import type { BackupRepository } from './repository.ts'
import type { Part, Stretch } from './wal-parts.ts'

export interface Timeline {
  id: number
  /** When a server first wrote on it; null for the first one. */
  began: Date | null
  /** The timelines it came from, the oldest first, with the byte at which each was left. */
  parents: { id: number; end: bigint }[]
}

/** A way to restore: a base backup and the log to follow from it. */
export interface Route {
  base: Manifest
  timeline: number
  path: Stretch[]
}

/** The name of a timeline's history file, as PostgreSQL asks for it. */
export const historyName = (id: number) => `${hex(BigInt(id), 8)}.history`

/**
 * A history file as it is kept. The comment, which PostgreSQL skips, is copied into the histories of later timelines, so only
 * the one after the last parent is the timeline's own.
 */
export function historyFile(content: string, began: Date): Buffer {
  return Buffer.from(`${content.trimEnd()}\n# began ${began.toISOString()}\n`)
}

/** Every timeline of the backup, the oldest first. */
export async function readTimelines(
  repository: BackupRepository,
  bases: readonly Manifest[],
  parts: readonly Part[],
): Promise<Timeline[]> {
  const histories = new Map<number, { content: string; writtenAt: Date }>()
  for (const { name, writtenAt } of await repository.list('history/')) {
    const id = Number.parseInt(name.slice('history/'.length), 16)
    histories.set(id, { content: await text(await repository.read(name)), writtenAt })
  }
  const ids = new Set([...histories.keys(), ...[...bases, ...parts].map(({ timeline }) => timeline)])
  return [...ids]
    .sort((a, b) => a - b)
    .map((id) => {
      const { content = '', writtenAt } = histories.get(id) ?? {}
      const seen = [
        ...bases.filter(({ timeline }) => timeline === id).map(({ startedAt }) => Date.parse(startedAt)),
        ...parts.filter(({ timeline }) => timeline === id).map((part) => part.writtenAt.getTime()),
        ...(writtenAt ? [writtenAt.getTime()] : []),
      ]
      const told = /# began (\S+)\s*$/.exec(content)?.[1]
      const began = id === 1 ? null : told ? new Date(told) : new Date(Math.min(...seen))
      const lines = content.matchAll(/^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/gim)
      const parents = [...lines].map(([, parent, lsn = '']) => ({ id: Number(parent), end: parseLsn(lsn) }))
      return { id, began, parents }
    })
}

/** The log from a base backup to the end of a timeline; null where the timeline does not come from there. */
export function pathFrom(base: Manifest, { id, parents }: Timeline): Stretch[] | null {
  const start = parseLsn(base.startLsn)
  const from = start - (start % BigInt(base.segmentBytes))
  if (id === base.timeline) return [{ timeline: id, from, to: null }]
  const first = parents.findIndex(
    ({ id: parent, end }) => parent === base.timeline && end >= parseLsn(base.stopLsn),
  )
  if (first === -1) return null
  let reached = from
  const stretches = parents.slice(first).map((parent): Stretch => {
    const stretch = { timeline: parent.id, from: reached, to: parent.end }
    reached = parent.end
    return stretch
  })
  return [...stretches, { timeline: id, from: reached, to: null }]
}

/** Those that a server worked on at `moment` or before it, the newest first; all of them without a moment. */
export function timelinesAt(timelines: readonly Timeline[], moment?: Date): Timeline[] {
  return timelines.filter(({ began }) => !began || !moment || began <= moment).reverse()
}

/**
 * The ways to restore to `moment`, or to the end, the best first: on the timeline that was written then, from the newest base
 * backup that had ended; then on timelines before it.
 */
export function routesTo(
  moment: Date | undefined,
  timelines: readonly Timeline[],
  bases: readonly Manifest[],
): Route[] {
  const ended = bases.filter(({ endedAt }) => !moment || Date.parse(endedAt) <= moment.getTime())
  return timelinesAt(timelines, moment).flatMap((timeline) =>
    ended.toReversed().flatMap((base) => {
      const path = pathFrom(base, timeline)
      return path ? [{ base, timeline: timeline.id, path }] : []
    }),
  )
}
