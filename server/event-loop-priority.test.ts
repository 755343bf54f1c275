// The niceness of a process's threads, as Linux tells it, in a process of its own: this one's must stay as it is.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { promisify } from 'node:util'
import { transformSync } from 'esbuild'
import { expect, test } from 'vitest'

const isLinux = process.platform === 'linux'
/** CAP_SYS_NICE (man 7 capabilities), which the superuser of a container may lack. */
const mayPrefer = isLinux && isAllowed(23n)
const isSuperuser = process.getuid?.() === 0

function isAllowed(capability: bigint): boolean {
  const [, effective = '0'] = /CapEff:\s+([0-9a-f]+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return ((BigInt(`0x${effective}`) >> capability) & 1n) === 1n
}

type Niceness = { eventLoop: number; helpers: number[]; child: number; refused: number }

/** What a process says of itself that prefers its event loop and starts another. */
async function afterPreferring(as: { uid?: number } = {}): Promise<Niceness> {
  const source = readFileSync(new URL('event-loop-priority.ts', import.meta.url), 'utf8')
  const script = `${transformSync(source, { loader: 'ts' }).code}
    import { spawn } from 'node:child_process'
    import { readdirSync, readFileSync } from 'node:fs'
    const of = (path) => Number(readFileSync(path, 'utf8').replace(/^.*\\) /s, '').split(' ')[16])
    let refused = 0
    preferEventLoop({ debug: () => refused++ })
    const child = notPreferred(spawn('sleep', ['60']))
    const [eventLoop, ...helpers] = readdirSync('/proc/self/task').map((task) => of('/proc/self/task/' + task + '/stat'))
    console.log(JSON.stringify({ eventLoop, helpers, child: of('/proc/' + child.pid + '/stat'), refused }))
    child.kill()`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: '/',
    ...as,
  })
  return JSON.parse(stdout)
}

test.runIf(mayPrefer)('the event loop goes first, and nothing else of the process with it', async () => {
  const { eventLoop, helpers, child, refused } = await afterPreferring()
  expect({ eventLoop, refused }).toEqual({ eventLoop: -10, refused: 0 })
  expect(new Set([...helpers, child])).toEqual(new Set([getPriority()]))
})

test.runIf(isLinux && isSuperuser)(
  'an account that may not goes on as it was, and the log says so',
  async () => {
    const { eventLoop, helpers, child, refused } = await afterPreferring({ uid: 65534 })
    expect(refused).toBe(1)
    expect(new Set([eventLoop, ...helpers, child])).toEqual(new Set([getPriority()]))
  },
)
