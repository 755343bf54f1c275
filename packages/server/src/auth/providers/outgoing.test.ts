// Requests to a provider that does not play by the rules.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { boundedFetch, getJson } from './outgoing.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function answering(listener: RequestListener): Promise<string> {
  const made = createServer(listener)
  server = made
  await new Promise<void>((resolve) => made.listen(0, 'localhost', resolve))
  return `http://localhost:${(made.address() as AddressInfo).port}/`
}

test('an answer without end is not read to its end', async () => {
  const url = await answering((_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  })
  await expect(getJson(url, 'token')).rejects.toThrow('the answer is longer than 1048576 bytes')
})

test('redirects are not followed, and the caller may give up', async () => {
  const url = await answering((_request, response) =>
    response.writeHead(302, { location: 'http://localhost:1/' }).end(),
  )
  await expect(getJson(url, 'token')).rejects.toThrow('answered 302')
  const options = { method: 'GET', headers: {}, body: null, redirect: 'manual', signal: AbortSignal.abort() }
  await expect(boundedFetch(url, options as never)).rejects.toThrow()
})
