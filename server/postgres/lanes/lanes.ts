// Sends groups of statements to PostgreSQL on a few connections. Writing to a connection costs this process more
// than all else it does for a small query, so queries known to be quick share connections: those that arrive
// together leave in one write. Anything else gets a connection to itself, so nothing waits behind what may be slow.
import type { Statement } from '../pipeline.ts'
import { type Group, Lane, type LaneRow, laneClient } from './lane.ts'

export interface Lanes {
  /**
   * Runs `statements` in one transaction and resolves with the rows of each. Rejects with PostgreSQL's error
   * (pg.DatabaseError) or a connection failure (see isUnavailable in database.ts).
   *
   * `pace` remembers how long groups of this kind take, and only for such as change nothing: a group that turns out
   * to be stuck behind another is sent once more elsewhere.
   */
  run(statements: readonly Statement[], pace: Pace | null): Promise<LaneRow[][]>
  /** Connections open, of these idle, and groups waiting for one. */
  counts(): { open: number; idle: number; waiting: number }
  end(): Promise<void>
}

/** How long groups of one kind take; make one for each kind with `newPace`. */
export type Pace = {
  /** Milliseconds. */
  usual: number
  known: number
}

export function newPace(): Pace {
  return { usual: 0, known: 0 }
}

/** Milliseconds that a group may take to share a connection. */
const QUICK = 5
/** After this many groups of a kind its pace is believed. */
const BELIEVED = 5
/** Connections that quick groups share at least. */
const SHARED = 2
/** As many share as it takes for so many groups a second: more than this process can do. */
const FULL_SPEED = 10_000
/** Connections that are never shared. */
const APART = 5
/** A shared connection gets its next groups when it has so few left to answer: what comes meanwhile goes in one write. */
const LOW = 1
/** Quick groups that one write brings at most, and at least where there are as many. */
const MOST = 12
const LEAST = 4
/** A connection that has been at one group for longer takes no further ones. */
const STUCK = 20
/** After as long the quick groups that wait behind it go elsewhere. */
const RESCUE = 50
const PATIENCE = 10_000
/** After a connection that could not be opened, none is tried for so long. */
const OPEN_PAUSE = 250
const IDLE = 30_000
const RETRIES = 1

type Queued = Group & { pace: Pace | null; since: number; retries: number; alone: boolean }

export function openLanes(url: string, { max, name }: { max: number; name: string }): Lanes {
  const lanes: Lane[] = []
  /** Lanes at work on a group that has to be alone. */
  const alone = new Set<Lane>()
  let queue: Queued[] = []
  let opening = 0
  let scheduled = false
  let ended = false
  let openAgain = 0
  const watch = setInterval(look, RESCUE / 2)
  watch.unref()

  function schedule(): void {
    if (scheduled || queue.length === 0) return
    scheduled = true
    // After the sockets that are readable now have been read: what came together is sent together.
    setImmediate(flush)
  }

  function flush(): void {
    scheduled = false
    const quick: Queued[] = []
    const single: Queued[] = []
    for (const group of queue) (isQuick(group) ? quick : single).push(group)
    const touched = new Set<Lane>()
    while (single.length > 0) {
      const lane = idleLane()
      if (!lane) break
      lane.add(single.shift() as Queued)
      alone.add(lane)
      touched.add(lane)
    }
    const width = widthFor(quick)
    const healthy = sharedLanes(width)
    const ready = healthy.filter((lane) => lane.waiting <= LOW)
    const share = Math.min(Math.max(Math.ceil(quick.length / ready.length), LEAST), MOST)
    for (const lane of ready) {
      for (const group of quick.splice(0, share)) lane.add(group)
      touched.add(lane)
    }
    for (const lane of touched) lane.flush()
    queue = [...single, ...quick]
    const wanted = single.length + (quick.length > 0 && healthy.length < width ? 1 : 0)
    while (opening < wanted && lanes.length + opening < max && performance.now() >= openAgain) open()
  }

  /** How many connections the groups need, by what the slowest of them takes. */
  function widthFor(quick: readonly Queued[]): number {
    let slowest = 0
    for (const { pace } of quick) slowest = Math.max(slowest, pace?.usual ?? 0)
    const needed = Math.ceil((slowest / 1000) * FULL_SPEED)
    return Math.max(Math.min(Math.max(needed, SHARED), max - APART), 1)
  }

  /** The first ones that are not taken and not stuck, the least busy first. */
  function sharedLanes(width: number): Lane[] {
    const now = performance.now()
    const found: Lane[] = []
    for (const lane of lanes) {
      if (found.length === width) break
      if (alone.has(lane) || (lane.waiting > 0 && now - lane.headSince > STUCK)) continue
      found.push(lane)
    }
    return found.sort((a, b) => a.waiting - b.waiting)
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
      .catch((error: Error) => {
        openAgain = performance.now() + OPEN_PAUSE
        // Without any connection nobody else will take what waits.
        if (lanes.length === 0) for (const group of queue.splice(0)) group.reject(error)
      })
      .finally(() => {
        opening--
        schedule()
      })
  }

  async function connect(): Promise<void> {
    const opened = laneClient(url, { connectionTimeoutMillis: PATIENCE, application_name: name })
    opened.client.on('error', () => {})
    await opened.client.connect()
    const lane: Lane = new Lane(opened, {
      onFree: () => {
        if (lane.waiting === 0) alone.delete(lane)
        schedule()
      },
      onRetry: (group) => retry(group as Queued),
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
    const now = performance.now()
    for (const lane of [...lanes]) {
      if (lane.waiting > 1 && now - lane.headSince > RESCUE) {
        for (const group of lane.giveBack() as Queued[]) queue.push({ ...group, alone: true })
      } else if (lane.waiting === 0 && now - lane.lastUsed > IDLE) {
        // Out of the list at once, so that nothing is sent behind its farewell.
        forget(lane)
        void lane.end().catch(() => {})
      }
    }
    const late = queue.filter(({ since }) => now - since > PATIENCE)
    if (late.length > 0) {
      queue = queue.filter((group) => !late.includes(group))
      for (const group of late) group.reject(new Error('timeout exceeded when trying to connect'))
    }
    schedule()
  }

  return {
    run: (statements, pace) =>
      new Promise((resolve, reject) => {
        if (ended) {
          reject(new Error('Connection terminated: the server stops'))
          return
        }
        queue.push({
          ...{ statements, resolve, reject, pace, since: performance.now(), retries: 0, alone: false },
          took: pace ? (milliseconds) => learn(pace, milliseconds) : undefined,
        })
        schedule()
      }),
    counts: () => ({
      open: lanes.length,
      idle: lanes.filter((lane) => lane.waiting === 0).length,
      waiting: queue.length,
    }),
    async end() {
      ended = true
      clearInterval(watch)
      await Promise.all(lanes.splice(0).map((lane) => lane.end().catch(() => {})))
    },
  }
}

function isQuick({ pace, alone }: Queued): boolean {
  return pace !== null && !alone && pace.known >= BELIEVED && pace.usual < QUICK
}

/**
 * Learns fast from quick answers and slowly from slow ones: a busy machine makes any answer late now and then, but
 * nothing makes a slow query quick.
 */
function learn(pace: Pace, milliseconds: number): void {
  pace.known++
  const weight = pace.known === 1 ? 1 : milliseconds < pace.usual ? 0.5 : 0.05
  pace.usual += (milliseconds - pace.usual) * weight
}
