// Checks how the processor is shared under load. Without control groups Linux shares it by session (sched_autogroup,
// man 7 sched). Each of PostgreSQL's processes begins a session, so with twenty busy queries the server gets a
// twentieth.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readPostmasterFile } from '../postgres/cluster/postmaster.ts'
import { type Finding, ok, warning } from './finding.ts'

/** How the server's own PostgreSQL, in `dataDir`, shares the processor; nothing while it does not run, or off Linux. */
export function processorShares(dataDir: string): Finding[] {
  const postmaster = readPostmasterFile(join(dataDir, 'postgres'))
  if (!postmaster || !existsSync(`/proc/${postmaster.pid}/cgroup`)) return []
  if (!isSharedBySession(postmaster.pid)) return [ok('processor', 'shared by control groups')]
  return [
    warning(
      'processor',
      "under load each of PostgreSQL's processes gets as much as the whole server; start it in a control group (CPUWeight=100 " +
        'of systemd; a container is one), or set kernel.sched_autogroup_enabled=0 (sysctl)',
    ),
  ]
}

/** True where the kernel shares the processor between sessions, not between processes. */
export function isSharedBySession(pid: number, root = '/'): boolean {
  const read = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '')
  if (read('proc/sys/kernel/sched_autogroup_enabled').trim() !== '1') return false
  const groups = read(`proc/${pid}/cgroup`).trim().split('\n')
  // Version 1 names the group of the controller; in a container that looks like none.
  const first = groups.find((line) => line.split(':')[1]?.split(',').includes('cpu'))
  if (first) return first.endsWith(':/') && !existsSync(join(root, '.dockerenv'))
  // Version 2: the nearest group above that shares processors has a weight; only the root of all has none.
  let path = groups.find((line) => line.startsWith('0::'))?.slice('0::'.length) ?? '/'
  while (!existsSync(join(root, 'sys/fs/cgroup', path, 'cpu.weight'))) {
    if (path === dirname(path)) return true
    path = dirname(path)
  }
  return false
}
