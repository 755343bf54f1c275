// A server elsewhere that takes a connection and says nothing is told while it stays silent; one that answers is not.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { measureOutgoing, watchOutgoing } from './outgoing.ts'

async function listening(answer: (path: string) => boolean): Promise<string> {
  const server = createServer((request, response) => {
    if (answer(request.url ?? '')) response.end('here')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('whoever has not answered is told by host, until they do or the request is given up', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const registry = new Registry()
  const outgoing = watchOutgoing()
  onTestFinished(outgoing.stop)
  measureOutgoing(registry, outgoing)
  const silent = await listening(() => false)
  const quick = await listening(() => true)
  const given = new AbortController()
  const ask = (url: string) => fetch(url, { signal: given.signal }).catch(() => null)
  const asked = [ask(`http://${silent}/v1/transfers`), ask(`http://${silent}/functions/v1/long-work`)]
  expect(await (await fetch(`http://${quick}`)).text()).toBe('here')
  vi.advanceTimersByTime(12_000)
  asked.push(ask(`http://${silent}/v1/refunds`))
  expect(await registry.metrics()).toMatch(
    new RegExp(`^outgoing_waiting_seconds\\{host="${silent}"\\} 12(\\.\\d+)?$`, 'm'),
  )
  expect(await registry.metrics()).not.toContain(quick)
  given.abort()
  await Promise.all(asked)
  expect(await registry.metrics()).not.toContain(silent)
})
