// A control group for all that is measured, as production has one (CPUWeight of systemd, a container). Outside of it
// Linux gives each of PostgreSQL's processes as much as the server with everything else that was started with it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isSharedBySession } from '../../src/doctor/processor-shares.ts'

const FOLDERS = ['/sys/fs/cgroup/cpu/meadowlark-bench', '/sys/fs/cgroup/meadowlark-bench']

/** Moves this process, and so what it starts, into a separate group where that is allowed. */
export function enterControlGroup(log: (line: string) => void): void {
  if (!hasNoneOfItsOwn()) return
  for (const folder of FOLDERS) {
    try {
      mkdirSync(folder, { recursive: true })
      writeFileSync(`${folder}/cgroup.procs`, String(process.pid))
      return
    } catch {
      // The other version of control groups, or not this account's to make.
    }
  }
  if (isSharedBySession(process.pid))
    log(
      'no control group of its own: the kernel shares the processor by session, and figures under load are worse',
    )
}

/** Whether this process is in no group that shares processors, as far as it can see: in a container it may be in one. */
function hasNoneOfItsOwn(): boolean {
  if (!existsSync('/proc/self/cgroup')) return false
  const groups = readFileSync('/proc/self/cgroup', 'utf8')
  // Both versions may be there, and processors are shared by one of them.
  const [, own] = /^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(.*)$/m.exec(groups) ?? /^0::(.*)$/m.exec(groups) ?? []
  return own === '/'
}
