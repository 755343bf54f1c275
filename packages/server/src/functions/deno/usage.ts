// Reads the resource usage of a process from Linux (https://man7.org/linux/man-pages/man5/proc.5.html).
import { readFileSync } from 'node:fs'

export type Usage = {
  /** Bytes in memory. */
  memory: number
  /** Seconds of processor time since its start. */
  processor: number
}

/** Of a second; the same on every Linux that Node runs on. */
const TICK = 0.01

/** Null on other systems and for a process that is gone. */
export function usageOf(pid: number): Usage | null {
  try {
    const memory = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name before it may hold blanks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return {
      memory: Number(memory ?? 0) * 1024,
      processor: (Number(fields[11]) + Number(fields[12])) * TICK,
    }
  } catch {
    return null
  }
}
