// How long groups of one kind take and whether they fail: from that it is known which of them may be sent together.

/** What is known of a kind; make one with `newPace`. */
export type Pace = {
  /** Milliseconds. */
  usual: number
  known: number
  /** When one of the kind failed last, by performance.now(). */
  failed: number
}

export function newPace(): Pace {
  return { usual: 0, known: 0, failed: Number.NEGATIVE_INFINITY }
}

/** Milliseconds that a group may take to share a connection. */
const QUICK = 5
/** After this many groups of a kind its pace is believed. */
const BELIEVED = 5
/** For so long a kind that failed is kept out of batches: what comes behind a failure has to be sent again. */
const DISTRUST = 5_000

export function isQuick({ known, usual }: Pace): boolean {
  return known >= BELIEVED && usual < QUICK
}

/** Whether a failure is unlikely enough for others to share its Sync. */
export function isSound({ failed }: Pace, now: number): boolean {
  return now - failed > DISTRUST
}

/** One of the kind is stuck: the next ones travel alone, until quick answers say otherwise. */
export function doubt(pace: Pace): void {
  pace.usual = Math.max(pace.usual, 2 * QUICK)
}

/**
 * Learns fast from quick answers and slowly from slow ones: a busy machine makes any answer late now and then, but
 * nothing makes a slow query quick.
 */
export function learn(pace: Pace, milliseconds: number): void {
  pace.known++
  const weight = pace.known === 1 ? 1 : milliseconds < pace.usual ? 0.5 : 0.05
  pace.usual += (milliseconds - pace.usual) * weight
}
