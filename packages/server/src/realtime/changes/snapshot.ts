// Reads what a change is about only once its transaction has ended for other sessions: the log has a commit an instant earlier.
import { setTimeout as sleep } from 'node:timers/promises'
import { isUnavailable } from '../../sql/errors.ts'

const RETRY_TIMEOUT_MS = 10_000
const FIRST_RETRY_MS = 1
const MAX_RETRY_MS = 100

/** One of the transactions has not ended for other sessions. */
class NotVisibleYet extends Error {}

/** Repeats `read` while requireVisible() fails in it, or the database is away for a moment. */
export async function readOnceVisible<Result>(read: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + RETRY_TIMEOUT_MS
  for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)) {
    try {
      return await read()
    } catch (error) {
      const isTemporary =
        error instanceof NotVisibleYet || (isUnavailable(error) && performance.now() <= deadline)
      if (!isTemporary) throw error
    }
    await sleep(retryMs)
  }
}

/** Throws where a snapshot, written `xmin:xmax:xid,xid`, does not see these transactions as ended. */
export function requireVisible(snapshot: string, xids: Iterable<number>): void {
  const [xmin = '0', xmax = '0', running = ''] = snapshot.split(':')
  const open = running === '' ? [] : running.split(',').map(low)
  for (const xid of xids) {
    if (before(xid, low(xmin))) continue
    if (!before(xid, low(xmax)) || open.includes(xid)) throw new NotVisibleYet()
  }
}

/** The stream has only the lower half of a transaction's number. */
function low(xid: string): number {
  return Number(BigInt(xid) & 0xffffffffn)
}

/** Whether `a` comes before `b` on the circle of 32-bit numbers. */
function before(a: number, b: number): boolean {
  return ((a - b) | 0) < 0
}
