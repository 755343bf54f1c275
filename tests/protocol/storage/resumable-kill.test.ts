// A server that is killed while it takes an upload, and the client that does not care. The client, tus-js-client,
// goes on with the next server on the same data, and not a byte is lost or doubled.
import { randomBytes } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import { Upload } from 'tus-js-client'
import { expect, test } from 'vitest'
import WebSocket from 'ws'
import { freePort } from '../../../packages/server/tests/support/free-port.ts'
import { buildServer, preparedProject, type ServerProcess, startProcess } from '../../support/process.ts'

const CHUNK = 6 * 1024 * 1024

test('an upload outlives two servers', async () => {
  buildServer()
  const { workdir, dataDir, remove } = await preparedProject('meadowlark-uploads-')
  const port = await freePort()
  let server: ServerProcess | undefined
  try {
    server = await startProcess({ workdir, dataDir, port })
    const { url, secret } = server
    const service = createClient(url, secret, { realtime: { transport: WebSocket as never } })
    expect((await service.storage.createBucket('shed')).error).toBe(null)
    const bytes = randomBytes(5 * CHUNK + 12_345)
    let kills = 0
    let restarting: Promise<void> | undefined
    await new Promise<void>((resolve, reject) => {
      const upload = new Upload(bytes, {
        endpoint: `${url}/storage/v1/upload/resumable`,
        headers: { authorization: `Bearer ${secret}` },
        metadata: { bucketName: 'shed', objectName: 'hay.bin', contentType: 'application/x-hay' },
        chunkSize: CHUNK,
        retryDelays: Array.from({ length: 60 }, () => 250),
        // In the middle of the second and of the fourth piece.
        onProgress(sent) {
          if (restarting || kills === 2 || sent < (kills * 2 + 1.2) * CHUNK) return
          kills++
          restarting = (async () => {
            await server?.end('SIGKILL')
            server = await startProcess({ workdir, dataDir, port })
            restarting = undefined
          })().catch(reject)
        },
        onError: reject,
        onSuccess: () => resolve(),
      })
      upload.start()
    })
    await restarting
    expect(kills).toBe(2)
    const { data } = await service.storage.from('shed').download('hay.bin')
    expect(data && Buffer.from(await data.arrayBuffer()).equals(bytes)).toBe(true)
  } finally {
    await server?.end('SIGTERM')
    remove()
  }
})
