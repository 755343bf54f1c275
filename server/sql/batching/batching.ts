// Sends groups of statements to PostgreSQL on a few connections. Writing to a connection and being woken by it costs
// this process more than all else it does for a small query, so queries known to be quick share connections: those
// that arrive together leave in one write and come back in one read. Anything else gets a connection to itself, so
// nothing waits behind what may be slow.

import { CONNECT_PATIENCE, isOutOfConnections, pauseAfter, statementTimeoutOf } from '../client.ts'
import { isQuick, isSound, type Pace } from '../latency.ts'
import type { Statement } from '../pipeline.ts'
import { IDLE } from '../pool.ts'
import type { Group, LaneRow } from './batch.ts'
import { laneClient } from './client.ts'
import { Lane } from './connection.ts'

export interface Lanes {
  /**
   * Runs `statements` in one transaction and resolves with the rows of each. Rejects with PostgreSQL's error
   * (pg.DatabaseError) or a connection failure (see isUnavailable in database.ts).
   *
   * `pace` remembers how groups of this kind do, and only for such as change nothing: they share transactions' frames,
   * and a group that turns out to be stuck behind another is sent once more elsewhere. `statementTimeout` is what the
   * statements set for themselves, in milliseconds; null where they leave it as the session has it.
   */
  run(
    statements: readonly Statement[],
    pace: Pace | null,
    statementTimeout?: number | null,
  ): Promise<LaneRow[][]>
  /** Connections open, of these idle, and groups waiting for one. */
  counts(): { open: number; idle: number; waiting: number }
  end(): Promise<void>
}

/** Connections that quick groups share at least. */
const SHARED = 2
/** As many share as it takes for so many groups a second: more than this process can do. */
const FULL_SPEED = 10_000
/** Quick groups that one write brings at most, and at least where there are as many. */
const MOST = 12
const LEAST = 4
/** Milliseconds that all of them together usually take at most: the first one's answer comes with the last one's. */
const TOGETHER = 5
/** A connection that has been at one turn for longer does not count among those that are shared. */
const STUCK = 20
/** After as long on one turn, its groups and those behind it go elsewhere. */
const RESCUE = 50
/** After as long, what was never known to be quick counts as held up. */
const HELD_UP = 250
/** After a connection that could not be opened, none is tried for so long. */
const OPEN_PAUSE = 250
/** Connections that stay open though nobody needs them: with none, a server could wait for longer than its callers. */
const KEPT = 1
const RETRIES = 1

type Queued = Group & {
  since: number
  retries: number
  /** Was stuck: has a connection to itself. */
  alone: boolean
  /** Was skipped after another's failure: has a Sync of its own. */
  apart: boolean
}

export interface LanesOptions {
  /** Most connections that are opened. */
  max: number
  /** Of these, how many are never shared; a third by default. */
  apart?: number
  /** As which they are seen in pg_stat_activity. */
  name: string
}

export function openLanes(url: string, { max, name, apart = Math.ceil(max / 3) }: LanesOptions): Lanes {
  const lanes: Lane[] = []
  /** Lanes at work on a group that has to be alone. */
  const alone = new Set<Lane>()
  let queue: Queued[] = []
  let opening = 0
  let scheduled = false
  let ended = false
  let openAgain = 0
  let refusals = 0
  const idleWatch = setInterval(closeIdle, IDLE / 10).unref()
  /** Runs while anything is under way. */
  let watch: NodeJS.Timeout | null = null

  function schedule(): void {
    if (scheduled || queue.length === 0) return
    scheduled = true
    // After the sockets that are readable now have been read: what came together is sent together.
    setImmediate(flush)
  }

  function flush(): void {
    scheduled = false
    watch ??= setTimeout(look, RESCUE / 2).unref()
    const quick: Queued[] = []
    const single: Queued[] = []
    for (const group of queue)
      (group.pace && !group.alone && isQuick(group.pace) ? quick : single).push(group)
    const { left, lacking } = single.length > 0 ? sendAlone(single) : { left: single, lacking: 0 }
    const width = widthFor(quick)
    const shared = sharedLanes(width)
    // What comes while a lane is at work goes in its next write.
    const free = shared.filter((lane) => lane.waiting === 0)
    const share = Math.min(Math.max(Math.ceil(quick.length / free.length), LEAST), MOST)
    for (const lane of free) {
      if (quick.length === 0) break
      sendTogether(lane, takeQuick(quick, share))
    }
    queue = left.length > 0 ? [...left, ...quick] : quick
    const wanted = lacking + (quick.length > 0 && shared.length < width ? 1 : 0)
    while (opening < wanted && lanes.length + opening < max && performance.now() >= openAgain) open()
  }

  function sendTogether(lane: Lane, groups: readonly Queued[]): void {
    const now = performance.now()
    const together: Queued[] = []
    for (const group of groups) {
      if (!group.apart && isSound(group.pace as Pace, now)) together.push(group)
      else lane.add([group])
    }
    if (together.length > 0) lane.add(together)
    lane.flush()
  }

  /** How many connections the groups need, by what the slowest of them takes. */
  function widthFor(quick: readonly Queued[]): number {
    let slowest = 0
    for (const { pace } of quick) slowest = Math.max(slowest, pace?.usual ?? 0)
    const needed = Math.ceil((slowest / 1000) * FULL_SPEED)
    return Math.max(Math.min(Math.max(needed, SHARED), max - apart), 1)
  }

  /** The first ones that are neither taken nor stuck. */
  function sharedLanes(width: number): Lane[] {
    const now = performance.now()
    const found: Lane[] = []
    for (const lane of lanes) {
      if (found.length === width) break
      if (alone.has(lane) || (lane.waiting > 0 && now - lane.headSince > STUCK)) continue
      found.push(lane)
    }
    return found
  }

  /**
   * Gives groups a connection each; returns those that have to wait, and for how many one more would be of use. One kind of read takes half of the connections
   * at most, and of what takes long a third: a table that is locked, or slow, holds up nothing else.
   */
  function sendAlone(groups: readonly Queued[]): { left: Queued[]; lacking: number } {
    const now = performance.now()
    const atWork = new Map<string, { count: number; late: number }>()
    const of = (group: Group) => {
      const kind = atWork.get(kindOf(group)) ?? { count: 0, late: 0 }
      atWork.set(kindOf(group), kind)
      return kind
    }
    for (const { headSince, working } of lanes) {
      if (!working) continue
      const kind = of(working)
      kind.count++
      if (now - headSince > (working.pace ? RESCUE : HELD_UP)) kind.late++
    }
    const most = mostAlone()
    let lacking = 0
    const left = groups.filter((group) => {
      const kind = of(group)
      if (kind.late >= Math.max(max / 3, 1) || (group.pace && kind.count >= Math.max(max / 2, 1))) return true
      if (alone.size >= most) return true
      const lane = idleLane()
      kind.count++
      if (!lane) {
        lacking++
        return true
      }
      alone.add(lane)
      lane.add([group])
      lane.flush()
      return false
    })
    return { left, lacking: Math.min(lacking, most - alone.size) }
  }

  /** One connection is left to what is quick. */
  function mostAlone(): number {
    return Math.max(max - 1, 1) - stuckLanes()
  }

  /** Shared ones that are held up by something that was taken to be quick. */
  function stuckLanes(): number {
    const now = performance.now()
    let count = 0
    for (const lane of lanes)
      if (!alone.has(lane) && lane.waiting > 0 && now - lane.headSince > RESCUE) count++
    return count
  }

  /** From the end, where the shared ones are not. */
  function idleLane(): Lane | undefined {
    for (let at = lanes.length - 1; at >= 0; at--) {
      const lane = lanes[at] as Lane
      if (lane.waiting === 0 && !alone.has(lane)) return lane
    }
    return undefined
  }

  function open(): void {
    opening++
    connect()
      .then(() => {
        refusals = 0
      })
      .catch((error: Error) => {
        const refused = isOutOfConnections(error)
        openAgain = performance.now() + (refused ? pauseAfter(refusals++) : OPEN_PAUSE)
        // Without any connection nobody else will take what waits; but one may be free again in a moment.
        if (lanes.length === 0 && !refused) for (const group of queue.splice(0)) group.reject(error)
      })
      .finally(() => {
        opening--
        schedule()
      })
  }

  async function connect(): Promise<void> {
    const opened = laneClient(url, { connectionTimeoutMillis: CONNECT_PATIENCE, application_name: name })
    opened.client.on('error', () => {})
    const statementTimeout = await opened.client
      .connect()
      .then(() => statementTimeoutOf(opened.client))
      .catch((error) => {
        void opened.client.end().catch(() => {})
        throw error
      })
    const lane: Lane = new Lane(opened, statementTimeout, {
      onFree: () => {
        if (lane.waiting === 0) alone.delete(lane)
        schedule()
      },
      onRetry: (group) => retry(group as Queued),
      onSkipped: (groups) => {
        for (const group of groups as Queued[]) queue.push({ ...group, apart: true })
        schedule()
      },
      onLost: () => forget(lane),
    })
    if (ended) await lane.end()
    else lanes.push(lane)
  }

  function forget(lane: Lane): void {
    const at = lanes.indexOf(lane)
    if (at >= 0) lanes.splice(at, 1)
    alone.delete(lane)
  }

  function retry(group: Queued): void {
    if (group.retries++ >= RETRIES) group.reject(new Error('The statement cannot be prepared'))
    else {
      queue.push(group)
      schedule()
    }
  }

  /** Looks after what takes longer than it should. */
  function look(): void {
    watch = null
    const now = performance.now()
    let busy = queue.length > 0
    for (const lane of lanes) {
      if (lane.waiting === 0) continue
      busy = true
      if (now - lane.headSince > RESCUE)
        for (const group of lane.giveBack() as Queued[]) queue.push({ ...group, alone: true })
    }
    const late = queue.filter(({ since }) => now - since > CONNECT_PATIENCE)
    if (late.length > 0) {
      queue = queue.filter((group) => !late.includes(group))
      for (const group of late) group.reject(new Error('timeout exceeded when trying to connect'))
    }
    if (busy) watch = setTimeout(look, RESCUE / 2).unref()
    schedule()
  }

  function closeIdle(): void {
    const now = performance.now()
    for (const lane of [...lanes]) {
      if (lanes.length <= KEPT || lane.waiting > 0 || now - lane.lastUsed < IDLE) continue
      // Out of the list at once, so that nothing is sent behind its farewell.
      forget(lane)
      void lane.end().catch(() => {})
    }
  }

  open()
  return {
    run: (statements, pace, statementTimeout = null) =>
      new Promise((resolve, reject) => {
        if (ended) {
          reject(new Error('Connection terminated: the server stops'))
          return
        }
        const since = performance.now()
        const group = { statements, pace, statementTimeout, resolve, reject }
        queue.push({ ...group, since, retries: 0, alone: false, apart: false })
        schedule()
      }),
    counts: () => ({
      open: lanes.length,
      idle: lanes.filter((lane) => lane.waiting === 0).length,
      waiting: queue.length,
    }),
    async end() {
      ended = true
      clearInterval(idleWatch)
      if (watch) clearTimeout(watch)
      await Promise.all(lanes.splice(0).map((lane) => lane.end().catch(() => {})))
    },
  }
}

/** Groups that do the same have the same text. */
function kindOf({ statements }: Group): string {
  return statements.at(-1)?.text ?? ''
}

/** Takes up to `most` groups out, as many as usually are done in time. */
function takeQuick(quick: Queued[], most: number): Queued[] {
  let usual = 0
  let count = 0
  while (count < quick.length && count < most) {
    usual += (quick[count] as Queued).pace?.usual ?? 0
    if (usual > TOGETHER && count > 0) break
    count++
  }
  return quick.splice(0, count)
}
