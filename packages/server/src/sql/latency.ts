// How long statements of one kind take and whether they fail: by that it is decided which of them may share a connection.

/** The measurements of a kind; make one with `newLatency`. */
export type LatencyEstimate = {
  /** Milliseconds that one usually takes. */
  ms: number
  /** How many were measured. */
  samples: number
  /** When one of the kind failed last, by performance.now(). */
  failedAt: number
}

export function newLatency(): LatencyEstimate {
  eventLoop ??= watchEventLoop()
  return { ms: 0, samples: 0, failedAt: Number.NEGATIVE_INFINITY }
}

/** Slower statements get a dedicated connection. */
const QUICK_MS = 5
/** The estimate counts from so many samples on. */
const MIN_SAMPLES = 5
/** How long a kind that failed is kept out of batches: what comes behind a failure has to be sent again. */
const APART_AFTER_FAILURE_MS = 5_000

/** Whether one of the kind may share a connection. */
export function isQuick({ samples, ms }: LatencyEstimate): boolean {
  return samples >= MIN_SAMPLES && ms < QUICK_MS
}

/** Whether a failure is unlikely enough for others to share its Sync. */
export function isReliable({ failedAt }: LatencyEstimate, now: number): boolean {
  return now - failedAt > APART_AFTER_FAILURE_MS
}

/** One of the kind is stuck: the next ones have a connection to themselves, until quick answers say otherwise. */
export function markSlow(latency: LatencyEstimate): void {
  latency.ms = Math.max(latency.ms, 2 * QUICK_MS)
}

/**
 * Learns fast from quick answers and slowly from slow ones: a busy machine makes any answer late now and then, but
 * nothing makes a slow query quick. While this process itself is held up, an answer tells only that it took no longer.
 */
export function learn(latency: LatencyEstimate, ms: number): void {
  const isFirst = latency.samples === 0
  if ((isFirst || ms > latency.ms) && eventLoop?.isHeldUp()) return
  latency.samples++
  if (isFirst) latency.ms = ms
  else if (ms < latency.ms) latency.ms -= (latency.ms - ms) / 2
  else latency.ms += (Math.min(ms, 2 * latency.ms + 1) - latency.ms) / 20
}

let eventLoop: { isHeldUp(): boolean } | null = null

/** How often the event loop is looked at, and how late it may be, in milliseconds. */
const TURN_MS = 25
const LATE_MS = 25
/** Milliseconds for which it counts as held up from then on: answers wait in sockets until their turn. */
const HELD_UP_MS = 1000

function watchEventLoop() {
  let turnedAt = performance.now()
  let heldUpUntil = 0
  const look = () => {
    const now = performance.now()
    if (now - turnedAt > TURN_MS + LATE_MS) heldUpUntil = now + HELD_UP_MS
    return now
  }
  setInterval(() => {
    turnedAt = look()
  }, TURN_MS).unref()
  return { isHeldUp: () => look() < heldUpUntil }
}
