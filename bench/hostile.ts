// Ten thousand hostile connections of a dozen kinds: each kind alone for a few seconds, then all kinds at once. The server
// must survive, answer honest callers within a second and stay under 400 MB. The topic fails if the server's process ends.
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Measured } from '../packages/server/bench/stage/figure.ts'
import type { Stage } from '../packages/server/bench/stage/stage.ts'
import { repositoryRoot } from '../plugins/repository.ts'
import { type MeasuredProcess, startProcess } from './stage/process.ts'
import { fillTasks, makeDatabase } from './stage/tasks.ts'

export const title = 'Hostile connections'

const CONNECTIONS = Number(process.env.BENCH_HOSTILE ?? 10_000)
/** Seconds that one way is measured by itself, and all of them together. */
const ALONE = 8
const TOGETHER = 40
/** Seconds until the connections of an attack are open. */
const WARM_UP = 4
/** The 99th percentile of an honest caller's waits, in milliseconds. */
const MAX_WAIT_MS = 1000
/** The server's memory at its highest, in megabytes, on a machine with 512. */
const MAX_MEMORY_MB = 400
/** Ways that cost the attacker work for each connection: a hundred of them do. */
const COSTLY = 100

type Times = { p50: number; p99: number }
/** `live` needs no database, `machine` is a server that nobody attacks, `own` how late the caller itself is to ask. */
type Honest = Times & {
  requests: number
  failures: Record<string, number>
  live: Times
  machine: Times
  own: Times
}
type Order = { port: number; key: string; kind: string; count: number; first: number }

/** The server, the caller whose waits count, and the attackers. */
type Scene = {
  stage: Stage
  server: MeasuredProcess<{ port: number; publishable: string }>
  honest: MeasuredProcess<unknown>
  attackers: MeasuredProcess<string[]>[]
}

export async function* measure(stage: Stage): AsyncIterable<Measured> {
  const scene = await openScene(stage)
  const kinds = (scene.attackers[0] as MeasuredProcess<string[]>).ready
  const isChosen = (name: string) =>
    stage.cases.length === 0 || stage.cases.some((word) => name.includes(word))
  // Once unmeasured, until the code is compiled and the shapes are known.
  await askHonest(scene, 5)
  stage.log(`quiet: ${shown(await askHonest(scene, ALONE))}`)

  for (const kind of kinds.filter(isChosen)) {
    const count = isCostly(kind) ? COSTLY : Math.min(2000, CONNECTIONS)
    const { p99 } = await attack(scene, [{ kind, count, first: 0 }], ALONE)
    yield {
      name: `an honest caller beside ${count} × ${kind}, 99 %`,
      ours: p99,
      against: 'the most it may take',
      theirs: MAX_WAIT_MS,
      unit: 'ms',
      bound: { atMost: 1 },
    }
  }
  if (isChosen('together')) yield* measureTogether(scene, kinds)
}

async function openScene(stage: Stage): Promise<Scene> {
  await makeDatabase(stage, 'ours')
  await fillTasks(stage, 'ours', { people: 200, tasks: 5000 })
  const server = await startProcess<{ port: number; publishable: string }>(stage, 'server.mjs', {
    args: ['--workdir', repositoryRoot, '--production'],
    // Node's default on a machine with 512 MB.
    node: ['--max-old-space-size=256'],
    env: {
      DATA_DIR: `${stage.directory}/server`,
      DATABASE_URL: (await stage.postgres()).url('ours'),
      PORT: '4303',
      LOG_LEVEL: 'error',
    },
  })
  const honest = await startProcess(stage, 'honest.mjs')
  const attackers = await Promise.all([1, 2].map(() => startProcess<string[]>(stage, 'attacker.mjs')))
  return { stage, server, honest, attackers }
}

function askHonest({ server, honest }: Scene, seconds: number): Promise<Honest> {
  const { port, publishable: key } = server.ready
  return honest.ask<Honest>({ port, key, seconds })
}

/** All kinds at once. */
async function* measureTogether(scene: Scene, kinds: string[]): AsyncIterable<Measured> {
  const costly = kinds.filter(isCostly)
  const cheap = kinds.filter((kind) => !isCostly(kind))
  const share = Math.floor((CONNECTIONS - COSTLY * costly.length) / cheap.length)
  const orders = kinds.map((kind, index) => ({
    kind,
    count: isCostly(kind) ? COSTLY : share,
    first: index * 200,
  }))
  const { p99, failed, requests, peak } = await attack(scene, orders, TOGETHER)
  yield {
    name: `an honest caller beside ${CONNECTIONS} connections of all kinds, 99 %`,
    ours: p99,
    against: 'the most it may take',
    theirs: MAX_WAIT_MS,
    unit: 'ms',
    bound: { atMost: 1 },
  }
  yield {
    name: 'requests of the honest caller that failed',
    ours: (failed / requests) * 100,
    against: 'one of a hundred',
    theirs: 1,
    unit: '%',
    bound: { atMost: 1 },
  }
  yield {
    name: 'memory of the server at its highest',
    ours: peak,
    against: 'of a machine with 512 MB',
    theirs: MAX_MEMORY_MB,
    unit: 'MB',
    bound: { atMost: 1 },
  }
}

/** Attacks in these ways, spread over the attackers, while the honest caller asks. */
async function attack(scene: Scene, orders: Omit<Order, 'port' | 'key'>[], seconds: number) {
  const { stage, server, attackers } = scene
  const { port, publishable: key } = server.ready
  resetPeak(server.pid)
  await Promise.all(
    attackers.map((attacker, index) =>
      attacker.ask({
        start: orders.map(({ count, first, kind }) => ({
          port,
          key,
          kind,
          count: Math.ceil(count / 2),
          first: first * 2 + index * 100,
        })),
      }),
    ),
  )
  await sleep(WARM_UP * 1000)
  const used = await Promise.all([server, ...attackers].map((one) => one.usage()))
  const found = await askHonest(scene, seconds)
  const usedNow = await Promise.all([server, ...attackers].map((one) => one.usage()))
  const open = await Promise.all(attackers.map((attacker) => attacker.ask<number>({ open: true })))
  await Promise.all(attackers.map((attacker) => attacker.ask({ stop: true })))
  const peak = peakOf(server.pid)
  const failed = Object.values(found.failures).reduce((sum, count) => sum + count, 0)
  stage.log(
    `${orders.length === 1 ? orders[0]?.kind : 'all'}: ${shown(found)}, ${failed} of ${found.requests} failed ${JSON.stringify(found.failures)}, ` +
      `${usedNow.map(({ cpu }, n) => ((cpu - (used[n]?.cpu ?? 0)) / 1e4 / seconds).toFixed(0))} % of a processor, ` +
      `${peak.toFixed(0)} MB at most, ${open.reduce((sum, count) => sum + count)} connections at the end`,
  )
  await sleep(1000)
  return { ...found, failed, peak }
}

function shown({ p50, p99, live, machine, own }: Honest): string {
  const of = (times: Times) => `${times.p50.toFixed(0)} ms, 99 % within ${times.p99.toFixed(0)} ms`
  return `${of({ p50, p99 })} (without database ${of(live)}; the machine ${of(machine)}; the caller itself ${of(own)})`
}

function isCostly(kind: string): boolean {
  return !/^(slow|idle|sockets that only|uploads)/.test(kind)
}

/** Megabytes, of 1024 kB as those of the machine, that a process held at its highest since `resetPeak` (Linux). */
function peakOf(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
