// A control group for all that is measured, as production has one (CPUWeight of systemd, a container). Outside of it Linux
// gives each of PostgreSQL's processes as much as the server with everything else that was started beside it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { isSharedBySession } from '../../server/doctor/processor-shares.ts'

const FOLDERS = ['/sys/fs/cgroup/cpu/meadowlark-bench', '/sys/fs/cgroup/meadowlark-bench']

/** Moves this process, and so what it starts, into a group of its own where that is needed and allowed. */
export function enterControlGroup(log: (line: string) => void): void {
  if (!isSharedBySession(process.pid)) return
  for (const folder of FOLDERS) {
    try {
      mkdirSync(folder, { recursive: true })
      writeFileSync(`${folder}/cgroup.procs`, String(process.pid))
      if (!isSharedBySession(process.pid)) return
    } catch {
      // The other version of control groups, or not this account's to make.
    }
  }
  log(
    'no control group of its own: the kernel shares the processor by session, and figures under load are worse',
  )
}
