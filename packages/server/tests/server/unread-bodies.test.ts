// Bodies that nobody reads, because the answer came before them, are not even parsed: chunks of one byte would cost the
// server as much for each of them as a small request.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { json } from '../../src/http/answer.ts'
import { clientAddresses } from '../../src/http/client-address.ts'
import { RequestContext } from '../../src/http/request-context.ts'
import { createSender } from '../../src/http/send.ts'
import { head, rawConnection } from './raw-connection.ts'

/** As many as there are in what Node reads of a connection at once, and a few. */
const PIECES_OF_ONE_READ = (64 * 1024) / '1\r\n \r\n'.length + 10
let server: Server
afterEach(() => new Promise((resolve) => server.close(resolve)))

test.each(['POST', 'GET'])('input after the answer to a %s is not parsed', async (method) => {
  const sender = createSender({ always: {}, unlessGiven: {}, pages: {} })
  let pieces = 0
  const ended = new Promise<IncomingMessage>((resolve) => {
    server = createServer((incoming, outgoing) => {
      incoming.on('data', () => pieces++)
      incoming.once('close', () => resolve(incoming))
      const request = new RequestContext(incoming, outgoing, { mount: '', addresses: clientAddresses([]) })
      sender.send(request, json({ message: 'No' }, 401), false)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const connection = await rawConnection(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  connection.send(head(method, '/', { 'transfer-encoding': 'chunked' }) + '1\r\n \r\n'.repeat(200_000))
  expect(await connection.answer()).toMatchObject({ status: 401, headers: { connection: 'close' } })
  connection.socket.destroy()
  expect((await ended).complete).toBe(false)
  expect(pieces).toBeLessThan(PIECES_OF_ONE_READ)
})
