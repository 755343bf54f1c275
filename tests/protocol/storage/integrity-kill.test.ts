// Rows and bytes stay together in a server that is killed.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bodyOf, isWhole } from '../../../packages/server/tests/storage/storage.ts'
import { amount } from '../../../packages/server/tests/support/soak.ts'
import { repositoryFile } from '../../../plugins/repository.ts'
import { buildServer, eventually, newProject, startProcess } from '../../support/process.ts'
import { freePort } from '../../support/server.ts'

/** How often it is killed. */
const KILLS = amount({ gate: 1, soak: 20 })

describe('in a server that is killed', () => {
  let made: ReturnType<typeof newProject>
  let server: Awaited<ReturnType<typeof start>>
  let port: number
  const workdir = repositoryFile('packages/server/tests/storage/sample-project')

  beforeAll(async () => {
    buildServer()
    made = newProject('meadowlark-storage-')
    port = await freePort()
    server = await start()
  })
  afterAll(async () => {
    await server?.end('SIGTERM')
    made?.remove()
  })
  const start = () => startProcess({ dataDir: made.dataDir, workdir, port, env: { LOG_LEVEL: 'fatal' } })
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${server.url}/storage/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${server.secret}`, apikey: server.secret, ...init.headers },
    })

  test('acknowledged objects are there, whole, and nothing is half there', async () => {
    const SIZE = 200_000
    const kept = new Map<string, number>()
    const sending = new Map<string, Set<number>>()
    let mark = 0
    for (let round = 0; round < KILLS; round++) {
      let alive = true
      let acknowledged = 0
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        while (alive) {
          const [name, mine] = [`w${writer}-${mark % 3}`, mark++]
          sending.set(name, (sending.get(name) ?? new Set()).add(mine))
          const answer = await call(`/object/sketches/${name}`, {
            method: 'POST',
            headers: { 'x-upsert': 'true', 'content-type': 'application/octet-stream' },
            body: bodyOf(mine, SIZE),
          }).catch(() => null)
          if (!answer?.ok) continue
          kept.set(name, mine)
          acknowledged++
        }
      })
      await eventually(() => acknowledged > 12 + (round % 7), 60_000, 1)
      await server.end('SIGKILL')
      alive = false
      await Promise.all(writers)
      server = await start()
      for (const [name, last] of kept) {
        const body = Buffer.from(await (await call(`/object/sketches/${name}`)).arrayBuffer())
        expect(isWhole(body, SIZE)).toBe(true)
        // The last that was acknowledged, or one sent after it.
        const allowed = [...(sending.get(name) ?? [])].filter((sent) => sent >= last)
        expect(allowed.map((one) => 97 + (one % 26))).toContain(body[0])
      }
    }
    expect(kept.size).toBeGreaterThan(3)
    const listed = await call('/object/list-v2/sketches', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    for (const { name } of ((await listed.json()) as { objects: { name: string }[] }).objects) {
      const body = Buffer.from(await (await call(`/object/sketches/${name}`)).arrayBuffer())
      expect(isWhole(body, SIZE)).toBe(true)
    }
  })
})
