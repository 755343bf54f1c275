// Who gets a processor first where processors are short. The thread of the event loop answers everybody, and most often with
// little to do for each: it goes before the helpers of V8, the threads that hash passwords, PostgreSQL and Deno, which are
// slower by what it takes (docs/decisions/0057-the-event-loop-goes-first.md).
import type { ChildProcess } from 'node:child_process'
import { getPriority, setPriority } from 'node:os'
import type pino from 'pino'

/** Of Linux: 19 goes last, -20 first. */
const NICENESS = -10

/** What this process was started with, once its event loop is preferred. */
let usual: number | null = null

/**
 * Prefers this thread, where the account may: the superuser, or who has CAP_SYS_NICE or a limit of niceness (LimitNICE of
 * systemd, `ulimits` of containers). Elsewhere than on Linux it would be the whole process, and nothing is done.
 */
export function preferEventLoop(log: Pick<pino.Logger, 'debug'>): void {
  if (process.platform !== 'linux') return
  try {
    const before = getPriority()
    setPriority(process.pid, NICENESS)
    usual ??= before
  } catch (error) {
    log.debug({ err: error }, 'the event loop shares the processors with everything else')
  }
}

/** Takes back from a process that was just started what it has inherited. */
export function notPreferred(child: ChildProcess): ChildProcess {
  try {
    if (usual !== null && child.pid) setPriority(child.pid, usual)
  } catch {
    // It has ended.
  }
  return child
}
