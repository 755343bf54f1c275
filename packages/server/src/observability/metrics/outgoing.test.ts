// A remote server that accepts a connection and does not reply is reported until it replies; others are not.
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import pino from 'pino'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { MailServer } from '../../config/integrations.ts'
import type { QueuedEmail } from '../../mail/email.ts'
import { smtpTransport } from '../../mail/smtp.ts'
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

test('hosts that have not answered are reported, until they do or the request is given up', async () => {
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

test('a mail server that does not reply is reported as well', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const registry = new Registry()
  const outgoing = watchOutgoing()
  onTestFinished(outgoing.stop)
  measureOutgoing(registry, outgoing)
  const silent = createTcpServer()
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const connected = new Promise<Socket>((resolve) => silent.once('connection', resolve))
  onTestFinished(() => void silent.close())
  const { port } = silent.address() as AddressInfo
  const mail = smtpTransport(
    { host: '127.0.0.1', port, senderName: 'Meadowlark', adminEmail: 'ada@example.com' } as MailServer,
    pino({ enabled: false }),
  )
  onTestFinished(mail.close)
  const sent = mail.deliver({
    id: 'one',
    to: 'grace@example.com',
    subject: 'Hi',
    text: 'Hi',
    html: 'Hi',
  } as QueuedEmail)
  const refused = expect(sent).rejects.toThrow()
  const socket = await connected
  vi.advanceTimersByTime(9000)
  expect(await registry.metrics()).toMatch(
    new RegExp(`^outgoing_waiting_seconds\\{host="127.0.0.1:${port}"\\} 9(\\.\\d+)?$`, 'm'),
  )
  // A pool tries a second connection where one closes.
  silent.on('connection', (another) => another.destroy())
  socket.destroy()
  await refused
  expect(await registry.metrics()).not.toContain(String(port))
})
