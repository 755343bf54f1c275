// Control groups as Linux shows them, in both of their versions: which of them share the processor between processes.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { isSharedBySession } from './processor-shares.ts'

const roots: string[] = []
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true })
})

function machine(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'meadowlark-proc-'))
  roots.push(root)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return root
}

const on = { 'proc/sys/kernel/sched_autogroup_enabled': '1\n' }
const off = { 'proc/sys/kernel/sched_autogroup_enabled': '0\n' }

test.each([
  ['a shell', { ...on, 'proc/7/cgroup': '0::/user.slice/session-1.scope\n' }, true],
  ['the root of all groups', { ...on, 'proc/7/cgroup': '0::/\n' }, true],
  ['the same where the kernel does not group sessions', { ...off, 'proc/7/cgroup': '0::/\n' }, false],
  ['a kernel without sessions of that kind', { 'proc/7/cgroup': '0::/\n' }, false],
  [
    'a service with a weight',
    {
      ...on,
      'proc/7/cgroup': '0::/system.slice/meadowlark.service\n',
      'sys/fs/cgroup/system.slice/meadowlark.service/cpu.weight': '100\n',
    },
    false,
  ],
  [
    'a service in a slice with one',
    {
      ...on,
      'proc/7/cgroup': '0::/system.slice/meadowlark.service\n',
      'sys/fs/cgroup/system.slice/cpu.weight': '100\n',
    },
    false,
  ],
  [
    'a container, which sees its own group as the root',
    { ...on, 'proc/7/cgroup': '0::/\n', 'sys/fs/cgroup/cpu.weight': '100\n' },
    false,
  ],
  ['version 1, no group', { ...on, 'proc/7/cgroup': '4:memory:/x\n1:cpu,cpuacct:/\n0::/\n' }, true],
  ['version 1, a group', { ...on, 'proc/7/cgroup': '4:memory:/\n1:cpu,cpuacct:/meadowlark\n0::/\n' }, false],
  ['version 1, a container', { ...on, 'proc/7/cgroup': '1:cpu,cpuacct:/\n0::/\n', '.dockerenv': '' }, false],
] as const)('%s', (_, files, expected) => {
  expect(isSharedBySession(7, machine(files as Record<string, string>))).toBe(expected)
})
