// Storage: 10 MB up and down, compared with a bare file copy through Node's HTTP. One copy does not care whether the
// file survives a power cut, the other does. Also the server's memory while 1 GB passes through it.
import { mkdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Measured, median } from './stage/figure.ts'
import { type MeasuredProcess, startProcess } from './stage/process.ts'
import { type Server, startServer } from './stage/server.ts'
import type { Stage } from './stage/stage.ts'

export const title = 'Storage'

const MEGABYTE = 1_000_000
// In turns, so that what else the machine does meanwhile meets all of them alike.
const ROUNDS = 25
const LARGE = Number(process.env.BENCH_LARGE_MB ?? 1000) * MEGABYTE
/**
 * The limit for "flat" memory: streams, pipes and the garbage of some seconds, but nothing that grows with the file.
 */
const FLAT = 64 * MEGABYTE

type Transfer = {
  method: 'GET' | 'PUT' | 'POST'
  path: string
  headers?: Record<string, string>
  bytes?: number
}

type Side = MeasuredProcess<{ port: number }>
type Send = (side: Side, transfer: Transfer) => Promise<number>
type Scene = {
  ours: Server
  bare: Side
  /** Makes a transfer, and resolves with its milliseconds. */
  send: Send
  upload(name: string): Transfer
  download(name: string): Transfer
}

export async function* measure(stage: Stage): AsyncIterable<Measured> {
  const scene = await openScene(stage)
  yield* measureSmall(scene)
  for (const way of ['upload', 'download'] as const) yield await measureLarge(stage, scene, way)
}

async function openScene(stage: Stage): Promise<Scene> {
  const ours = await startServer(stage, {
    name: 'ours',
    port: 4260,
    config: '[storage]\nfile_size_limit = "4GiB"\n',
    node: process.env.BENCH_PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`] : [],
  })
  mkdirSync(`${stage.directory}/files`)
  const bare = await startProcess<{ port: number }>(stage, 'files.mjs', {
    args: [`${stage.directory}/files`],
  })
  const send = await startClient(stage)
  const key = { authorization: `Bearer ${ours.ready.secret}`, apikey: ours.ready.secret }
  const headers = { ...key, 'content-type': 'application/octet-stream', 'x-upsert': 'true' }
  const bucket = await fetch(`http://127.0.0.1:${ours.ready.port}/storage/v1/bucket`, {
    method: 'POST',
    headers: { ...key, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'bench', name: 'bench', public: true }),
  })
  if (!bucket.ok) throw new Error(await bucket.text())
  return {
    ours,
    bare,
    send,
    upload: (name) => ({ method: 'POST', path: `/storage/v1/object/bench/${name}`, headers }),
    download: (name) => ({ method: 'GET', path: `/storage/v1/object/public/bench/${name}` }),
  }
}

async function startClient(stage: Stage): Promise<Send> {
  const client = await startProcess(stage, 'transfer.mjs')
  return async (side, transfer) => {
    const answer = await client.ask<{ milliseconds: number; received: number; error?: string }>({
      port: side.ready.port,
      bytes: 10 * MEGABYTE,
      headers: {},
      ...transfer,
    })
    if (answer.error) throw new Error(answer.error)
    return answer.milliseconds
  }
}

async function* measureSmall({ ours, bare, send, upload, download }: Scene): AsyncIterable<Measured> {
  const times = { upload: [] as number[], download: [] as number[] }
  const theirs = { put: [] as number[], synced: [] as number[], get: [] as number[] }
  for (let round = -3; round < ROUNDS; round++) {
    const name = `${round}.bin`
    const found = {
      upload: await send(ours, upload(name)),
      put: await send(bare, { method: 'PUT', path: `/${name}` }),
      synced: await send(bare, { method: 'PUT', path: `/synced-${name}?sync` }),
      download: await send(ours, download(name)),
      get: await send(bare, { method: 'GET', path: `/${name}` }),
    }
    if (round < 0) continue
    times.upload.push(found.upload)
    times.download.push(found.download)
    theirs.put.push(found.put)
    theirs.synced.push(found.synced)
    theirs.get.push(found.get)
  }
  const bound = { atMost: 1.5 }
  yield {
    name: 'upload of 10 MB, on disk for good, with its row',
    ours: median(times.upload),
    unit: 'ms',
    against: 'bare copy, synced too',
    theirs: median(theirs.synced),
    bound,
  }
  yield {
    name: 'upload of 10 MB, on disk for good, with its row',
    ours: median(times.upload),
    unit: 'ms',
    against: 'bare copy, not synced',
    theirs: median(theirs.put),
    bound,
  }
  yield {
    name: 'download of 10 MB',
    ours: median(times.download),
    unit: 'ms',
    against: 'bare copy',
    theirs: median(theirs.get),
    bound,
  }
}

/** How much memory the server takes more while a large file passes through it. */
async function measureLarge(stage: Stage, scene: Scene, way: 'upload' | 'download'): Promise<Measured> {
  const { ours, send, upload, download } = scene
  const transfer = way === 'upload' ? { ...upload('large.bin'), bytes: LARGE } : download('large.bin')
  const before = (await ours.usage()).rss
  let peak = before
  let running = true
  const watching = (async () => {
    while (running) {
      peak = Math.max(peak, (await ours.usage()).rss)
      await sleep(50)
    }
  })()
  const took = await send(ours, transfer)
  running = false
  await watching
  stage.log(
    `${way} of ${LARGE / MEGABYTE} MB took ${(took / 1000).toFixed(1)} s; memory went from ${mb(before)} to ${mb(peak)} MB`,
  )
  return {
    name: `growth while ${LARGE / MEGABYTE} MB go ${way === 'upload' ? 'up' : 'down'}`,
    unit: 'MB',
    ours: (peak - before) / MEGABYTE,
    against: 'limit',
    theirs: FLAT / MEGABYTE,
    bound: { atMost: 1 },
  }
}

const mb = (bytes: number) => Math.round(bytes / MEGABYTE)
