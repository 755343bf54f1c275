// How many connections are taken in one turn of the event loop, and whose they are.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { openHandles } from './listening-handles.ts'

let server: Server
let taken = 0
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.close()
})

async function start() {
  taken = 0
  server = createServer((_request, response) => response.end('hay'))
  server.on('connection', () => taken++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

/** Opens forty connections at once; how many of them were taken in the turn that took most. */
async function takenInOneTurn(): Promise<number> {
  const { port } = server.address() as AddressInfo
  let most = 0
  taken = 0
  for (let n = 0; n < 40; n++) sockets.push(connect(port, '127.0.0.1'))
  for (let before = 0; taken < 40; before = taken) {
    await nextTurn()
    most = Math.max(most, taken - before)
  }
  return most
}

test('a server takes as many connections in one turn as its socket has handles', async () => {
  await start()
  expect(await takenInOneTurn()).toBe(1)
  const handles = await openHandles(server, 4096, 7)
  expect(await takenInOneTurn()).toBe(8)
  for (const handle of handles) handle.close()
  expect(await takenInOneTurn()).toBe(1)
})

test('what comes by any of them is answered, and nothing listens any more once all are closed', async () => {
  await start()
  const handles = await openHandles(server, 4096, 7)
  const { port } = server.address() as AddressInfo
  const answers = await Promise.all(
    Array.from({ length: 40 }, async () => (await fetch(`http://127.0.0.1:${port}`)).text()),
  )
  expect(answers).toEqual(answers.map(() => 'hay'))
  for (const handle of [server, ...handles]) handle.close()
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow()
})
