// The processor time of a PostgreSQL: of its first process, of those that it started, and of those that have ended.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Linux counts processor time in hundredths of a second. */
const MICROSECONDS_A_TICK = 10_000

/** Microseconds of processor time so far of the cluster in `directory` (Linux only). */
export function postgresCpu(directory: string): number {
  const postmaster = Number.parseInt(readFileSync(join(directory, 'postmaster.pid'), 'utf8'), 10)
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      // Behind the name, which may hold anything: state, parent, …, utime, stime, cutime, cstime.
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number)
      const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
      if (Number(pid) === postmaster) ticks += user + system + endedUser + endedSystem
      else if (fields[1] === postmaster) ticks += user + system
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks * MICROSECONDS_A_TICK
}
