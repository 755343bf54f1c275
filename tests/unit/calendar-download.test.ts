// Calendars are downloaded from the public internet alone: no address, name or redirect leads into a network that only the server
// reaches, and no answer holds it up.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import {
  download,
  INTERNET,
  isPublicAddress,
  type Network,
} from '../../supabase/functions/read-calendars/download.ts'
import { selfSigned } from '../support/certificates.ts'

const HOST = 'calendar.example'
const ICS = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n'

describe('an address is public', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '142.250.69.206',
    '172.15.0.1',
    '172.32.0.1',
    '100.128.0.1',
    '192.167.1.1',
    '169.253.1.1',
    '2607:f8b0:400a:80a::200e',
    '2a00:1450:4001:830::200e',
    '::ffff:8.8.8.8',
  ])('%s', (address) => expect(isPublicAddress(address)).toBe(true))

  it.each([
    // Loopback, unspecified, private, link-local with the metadata of clouds, shared, multicast, reserved.
    '127.0.0.1',
    '127.1.2.3',
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.127.255.255',
    '224.0.0.1',
    '239.1.1.1',
    '240.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '198.18.0.1',
    '192.0.0.1',
    // The same in IPv6.
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '2001:db8::1',
    // IPv4 in IPv6: mapped, translated, 6to4 and Teredo.
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b::a00:1',
    '2002:7f00:1::',
    '2002:a00:1::',
    '2001::1',
    // No addresses.
    '',
    'localhost',
    '127.0.0.1.example',
    '1.2.3',
    '0x7f.1.1',
    'x',
  ])('%j is not', (address) => expect(isPublicAddress(address)).toBe(false))
})

describe('refused before any connection', () => {
  const resolving = (...addresses: string[]): Network => ({ ...INTERNET, resolve: async () => addresses })
  const code = (address: string, network: Network) =>
    download(address, null, network).then(
      () => 'read',
      (error) => error.code,
    )

  it.each([
    'http://calendar.example/a.ics',
    'ftp://calendar.example/',
    'file:///etc/passwd',
    'https://theo:secret@calendar.example/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[fd00::1]:8443/',
    'https://169.254.169.254/latest/meta-data/',
  ])('%s', async (address) => expect(await code(address, resolving('8.8.8.8'))).toBe('not_public'))

  it('a name of which any address is in a private network, or that has none', async () => {
    expect(await code('https://a.example/', resolving('10.0.0.1'))).toBe('not_public')
    expect(await code('https://a.example/', resolving('8.8.8.8', '127.0.0.1'))).toBe('not_public')
    expect(await code('https://a.example/', resolving())).toBe('not_public')
  })

  it('a name that does not exist, or a name server that stays silent', async () => {
    const missing = { ...INTERNET, resolve: () => Promise.reject(new Error('ENOTFOUND')) }
    expect(await code('https://a.example/', missing)).toBe('unreachable')
    const silent = { ...INTERNET, resolve: () => new Promise<string[]>(() => {}), timeoutMs: 50 }
    expect(await code('https://a.example/', silent)).toBe('too_slow')
  })

  it('a text that is no address', async () =>
    expect(await code('https://', resolving('8.8.8.8'))).toBe('unreachable'))
})

describe('from a server', () => {
  let server: Server
  let certificate: string
  let sent = 0
  const asked: IncomingMessage[] = []
  const names: string[] = []
  const handlers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
    '/a.ics': (_request, response) => response.setHeader('etag', '"1"').end(ICS),
    '/moved': (_request, response) => response.writeHead(302, { location: '/a.ics' }).end(),
    '/round': (_request, response) => response.writeHead(301, { location: '/round' }).end(),
    '/to-http': (_request, response) => response.writeHead(302, { location: `http://${HOST}/a.ics` }).end(),
    '/to-metadata': (_request, response) =>
      response.writeHead(307, { location: 'https://169.254.169.254/latest' }).end(),
    '/to-inside': (_request, response) =>
      response.writeHead(302, { location: 'https://inside.example/' }).end(),
    '/gone': (_request, response) => response.writeHead(410).end(),
    '/broken': (_request, response) => response.writeHead(500).end(),
    '/packed': (_request, response) => response.setHeader('content-encoding', 'gzip').end('x'),
    '/says-50-mb': (_request, response) =>
      response.writeHead(200, { 'content-length': 50_000_000 }).write('x'),
    '/silent': () => {},
    '/slow': (_request, response) => {
      response.write('BEGIN:VCALENDAR\r\n')
      const drip = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(drip))
    },
    '/50-mb': (_request, response) => {
      const more = () => {
        while (sent < 50_000_000) {
          sent += 100_000
          if (!response.write(Buffer.alloc(100_000, 'x'))) return void response.once('drain', more)
        }
        response.end()
      }
      more()
    },
  }

  beforeAll(async () => {
    const { pem, key } = await selfSigned(HOST)
    certificate = pem
    server = createServer({ key, cert: pem }, (request, response) => {
      asked.push(request)
      const handler = handlers[request.url ?? '']
      if (handler) handler(request, response)
      else response.writeHead(404).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  /** Its names lead to this machine, whose address counts as public here; `inside.example` leads into a private network. */
  const network = (): Network => ({
    resolve: async (host) => {
      names.push(host)
      return host === 'inside.example' ? ['10.0.0.1'] : ['127.0.0.1']
    },
    isPublic: (address) => address === '127.0.0.1',
    options: { ca: certificate },
    timeoutMs: 1000,
  })
  const at = (path: string, host = HOST) => `https://${host}:${(server.address() as AddressInfo).port}${path}`
  const codeOf = (path: string, host?: string) =>
    download(at(path, host), null, network()).then(
      () => 'read',
      (error) => error.code,
    )

  it('the text comes with its tag, and not again while the tag is the same', async () => {
    expect(await download(at('/a.ics'), null, network())).toEqual({ text: ICS, etag: '"1"' })
    handlers['/unchanged'] = (request, response) =>
      response.writeHead(request.headers['if-none-match'] === '"1"' ? 304 : 200).end()
    expect(await download(at('/unchanged'), '"1"', network())).toBe('unchanged')
    expect(asked.at(-1)?.headers).toMatchObject({
      host: new URL(at('/')).host,
      'accept-encoding': 'identity',
    })
  })

  it('the connection goes to the address that was checked: the name is asked once', async () => {
    names.length = 0
    await download(at('/a.ics'), null, network())
    expect(names).toEqual([HOST])
  })

  it('the certificate must be that of the name', async () => {
    expect(await codeOf('/a.ics', 'other.example')).toBe('unreachable')
  })

  it('three redirects at most, each checked', async () => {
    expect(await download(at('/moved'), null, network())).toMatchObject({ text: ICS })
    asked.length = 0
    expect(await codeOf('/round')).toBe('unreachable')
    expect(asked).toHaveLength(4)
    for (const path of ['/to-http', '/to-metadata', '/to-inside'])
      expect([path, await codeOf(path)]).toEqual([path, 'not_public'])
  })

  test.each([
    ['/missing', 'not_found'],
    ['/gone', 'not_found'],
    ['/broken', 'unreachable'],
    ['/packed', 'unreachable'],
    ['/says-50-mb', 'too_large'],
    ['/silent', 'too_slow'],
    ['/slow', 'too_slow'],
  ])('%s is %s', async (path, code) => expect(await codeOf(path)).toBe(code))

  it('50 MB are cut off soon after 2 MB', async () => {
    expect(await codeOf('/50-mb')).toBe('too_large')
    expect(sent).toBeLessThan(20_000_000)
  })
})
