// Functions written for Deno, as most projects have them, on a project the server has never seen: what they are given,
// what comes back, in both directions streaming, through supabase-js and plain requests.
import { once } from 'node:events'
import { get } from 'node:http'
import { connect } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { stranger } from '../support/people.ts'
import { type Project, startProject } from './project.ts'

let server: Project
beforeAll(async () => {
  server = await startProject({
    'config.toml': `
      [functions.open]
      verify_jwt = false
      [functions.elsewhere]
      entrypoint = "./functions/open/other.ts"
      import_map = "./functions/open/own.json"
      static_files = ["./texts/*.txt"]
      [functions.off]
      enabled = false
      [functions.unwritten]
      entrypoint = "./functions/unwritten/index.ts"
      [edge_runtime.secrets]
      GREETING = "Hello"
      TONE = "plain"
    `,
    'functions/.env': `# as \`supabase functions serve\` reads it\nTONE="warm"\nSUPABASE_URL=http://example.com\nSUPABASE_OWN=1\n`,
    'functions/_shared/cors.ts': `export const cors: Record<string, string> = { 'Access-Control-Allow-Origin': '*' }`,
    'functions/import_map.json': `{ "imports": { "shared/": "./_shared/" } }`,
    'functions/echo/index.ts': `
      import { cors } from 'shared/cors.ts'
      const started = crypto.randomUUID()
      const main = import.meta.main
      Deno.serve(async (req: Request, info) => {
        if (req.method === 'OPTIONS') return new Response('ok', { headers: cors })
        const type = req.headers.get('content-type') ?? ''
        const body = type.startsWith('multipart/')
          ? Object.fromEntries([...(await req.formData())].map(([k, v]) => [k, typeof v === 'string' ? v : v.name + ':' + v.size]))
          : type.includes('octet-stream') ? [...new Uint8Array(await req.arrayBuffer())] : await req.text()
        return Response.json({ method: req.method, url: req.url, type, body, started,
          own: req.headers.get('x-own'), hop: req.headers.get('te') ?? req.headers.get('proxy-authorization'), main, remote: info.remoteAddr.transport }, { status: 201, headers: cors })
      })`,
    'functions/environment/index.ts': `
      const top = Deno.env.get('GREETING')
      Deno.serve(() => Response.json({ top, ...Deno.env.toObject() }))`,
    'functions/events/index.ts': `
      Deno.serve((req) => {
        let timer: number
        const body = new ReadableStream({
          start(controller) {
            let n = 0
            timer = setInterval(() => controller.enqueue(new TextEncoder().encode('data: ' + ++n + '\\n\\n')), 30)
          },
          cancel() { clearInterval(timer); console.log('nobody listens any more') },
        })
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      })`,
    'functions/upper/index.ts': `
      Deno.serve((req) => new Response(
        req.body!.pipeThrough(new TextDecoderStream())
          .pipeThrough(new TransformStream({ transform: (text, to) => to.enqueue(text.toUpperCase()) }))
          .pipeThrough(new TextEncoderStream()), { headers: { 'content-type': 'application/octet-stream' } }))`,
    'functions/gone/index.ts': `
      let aborted = 0
      let waiting = 0
      Deno.serve(async (req) => {
        if (req.url.endsWith('/count')) return Response.json({ waiting, aborted })
        waiting++
        await new Promise<void>((resolve) => req.signal.addEventListener('abort', () => { aborted++; resolve() }))
        return new Response()
      })`,
    'functions/open/index.ts': `export default { fetch: (req: Request) => new Response('open ' + new URL(req.url).pathname) }`,
    'functions/open/other.ts': `
      import { word } from 'word'
      Deno.serve(async () => new Response(word + await Deno.readTextFile(new URL('../../texts/a.txt', import.meta.url))))`,
    'functions/open/own.json': `{ "imports": { "word": "./word.ts" } }`,
    'functions/open/word.ts': `export const word = 'mapped '`,
    'texts/a.txt': 'text',
    // As \`serve\` of deno.land/std listened before Deno.serve was there.
    'functions/old/index.ts': `
      const listener = Deno.listen({ port: 8000 })
      ;(async () => {
        for await (const connection of listener) (async () => {
          const http = Deno.serveHttp(connection)
          for (;;) {
            const event = await http.nextRequest()
            if (!event) return
            event.respondWith(new Response('old ' + await event.request.text()))
          }
        })()
      })()`,
    'functions/node/index.ts': `
      import http from 'node:http'
      http.createServer((req, res) => res.end('node ' + req.method + ' ' + req.url)).listen(8000, () => console.log('up'))`,
    'functions/later/index.ts': `
      const done: string[] = []
      Deno.serve((req) => {
        if (req.method === 'GET') return Response.json(done)
        EdgeRuntime.waitUntil(new Promise((resolve) => setTimeout(() => { done.push('done'); resolve(0) }, 50)))
        EdgeRuntime.waitUntil(Promise.reject(new Error('background trouble')))
        return new Response('answered')
      })`,
    'functions/socket/index.ts': `
      Deno.serve((req) => {
        if (req.headers.get('upgrade') !== 'websocket') return new Response('no socket', { status: 426 })
        const { socket, response } = Deno.upgradeWebSocket(req)
        socket.onmessage = ({ data }) => data === 'bye' ? socket.close(1000, 'bye') : socket.send(new URL(req.url).pathname + ' ' + data)
        return response
      })`,
    'functions/port/index.ts': `
      addEventListener('beforeunload', () => {})
      Deno.serve({ port: 8000, onListen: ({ port }) => console.log(port) }, () => new Response('port'))`,
    'functions/named/index.ts': `Deno.serve({ handler: () => new Response('named') })`,
    'functions/beside/index.tsx': `
      import note from './note.json' with { type: 'json' }
      export default { words: async () => note.word + ' ' + await Deno.readTextFile('./beside.txt') }`,
    'functions/beside/index.ts': `
      import app from './index.tsx'
      import { Buffer } from 'node:buffer'
      import process from 'node:process'
      const wrong: number = 'types are not checked'
      Deno.serve(async () => new Response([await app.words(), Buffer.from('a').toString('hex'), process.env.GREETING].join(' ')))`,
    'functions/beside/note.json': '{ "word": "noted" }',
    'functions/beside/beside.txt': 'beside',
    'functions/configured/index.ts': `
      import 'jsr:@supabase/functions-js/edge-runtime.d.ts'
      import { word } from 'words/mapped.ts'
      Deno.serve((_, { remoteAddr }) => new Response(word + ' ' + remoteAddr.hostname))`,
    'functions/configured/deno.json': `{ // with a comment, and a comma too many
      "imports": { "words/": "../_shared/words/", },
    }`,
    'functions/_shared/words/mapped.ts': `export const word = 'configured'`,
    'functions/off/index.ts': `Deno.serve(() => new Response('off'))`,
  })
})
afterAll(() => server.stop())

const call = (path: string, init: RequestInit = {}) =>
  fetch(`${server.url}/functions/v1/${path}`, {
    ...init,
    headers: { authorization: `Bearer ${server.publishableKey}`, ...init.headers },
  })

describe('requests', () => {
  const form = new FormData()
  form.append('name', 'Grace')
  form.append('photo', new File(['12345'], 'photo.png'))
  it.each<[string, BodyInit | Record<string, unknown>, string, unknown]>([
    ['JSON', { name: 'Grace' }, 'application/json', '{"name":"Grace"}'],
    ['text', 'plain words', 'text/plain', 'plain words'],
    ['bytes', new Uint8Array([0, 1, 255]).buffer, 'application/octet-stream', [0, 1, 255]],
    ['a file', new Blob([new Uint8Array([7, 8])]), 'application/octet-stream', [7, 8]],
    ['a form', form, 'multipart/form-data', { name: 'Grace', photo: 'photo.png:5' }],
  ])('%s', async (_, body, type, seen) => {
    const { data, error, response } = await stranger(server).functions.invoke('echo', {
      body: body as never,
      headers: { 'x-own': 'kept' },
    })
    expect(error).toBeNull()
    expect(response?.status).toBe(201)
    expect(data).toMatchObject({ method: 'POST', body: seen, own: 'kept', main: true, remote: 'tcp' })
    expect(data.type).toContain(type)
  })

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)('%s', async (method) => {
    const { data } = await stranger(server).functions.invoke('echo', { method })
    expect(data.method).toBe(method)
  })

  it('the address that was called, its path beginning with the function', async () => {
    const { host } = new URL(server.url)
    const { url } = await (await call('echo/deep/er%20path?a=1&b=%26')).json()
    expect(url).toBe(`http://${host}/echo/deep/er%20path?a=1&b=%26`)
  })

  it('no header that concerns the connection alone', async () => {
    const asked = get(`${server.url}/functions/v1/echo`, {
      headers: { apikey: server.publishableKey, te: 'trailers', 'proxy-authorization': 'x', 'x-own': 'kept' },
    })
    const [answer] = await once(asked, 'response')
    expect(await json(answer)).toMatchObject({ own: 'kept', hop: null })
  })

  it('a body that streams, answered while it comes', async () => {
    const chunks = ['first ', 'second']
    const body = new ReadableStream({
      async pull(controller) {
        await sleep(30)
        const next = chunks.shift()
        if (next) controller.enqueue(new TextEncoder().encode(next))
        else controller.close()
      },
    })
    const response = await call('upper', { method: 'POST', body, duplex: 'half' } as RequestInit)
    expect(await response.text()).toBe('FIRST SECOND')
  })

  it('no body above the limit, announced or not', async () => {
    const large = 'x'.repeat(11 * 1024 * 1024)
    expect((await call('echo', { method: 'POST', body: large })).status).toBe(413)
    const body = new Blob([large]).stream()
    const response = await call('echo', { method: 'POST', body, duplex: 'half' } as RequestInit)
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
  })

  it('the environment that Supabase gives, config.toml, .env and a mail server, and nothing else', async () => {
    const seen = await (await call('environment')).json()
    expect(seen).toEqual({
      // The test server's DATABASE_URL.
      top: 'Hello',
      GREETING: 'Hello',
      TONE: 'warm',
      SUPABASE_URL: server.url.replace('localhost', '127.0.0.1'),
      SUPABASE_ANON_KEY: server.publishableKey,
      SUPABASE_SERVICE_ROLE_KEY: server.secretKey,
      SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: server.publishableKey }),
      SUPABASE_SECRET_KEYS: JSON.stringify({ default: server.secretKey }),
      SUPABASE_JWKS: JSON.stringify(server.services.keys.jwks),
      SB_JWT_ISSUER: `${server.services.config.publicUrl}/auth/v1`,
      SUPABASE_DB_URL: server.services.config.databaseUrl,
      SITE_URL: server.services.config.auth.site_url,
      // The sandbox's inbox, for functions that send mail.
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: expect.stringMatching(/^\d+$/),
      SMTP_ADMIN_EMAIL: 'hello@meadowlark.example',
      SMTP_SENDER_NAME: 'Meadowlark',
    })
  })
})

it('a change of its sources or of .env is seen by the next request', async () => {
  const seen = async () => (await call('environment')).json()
  const { started } = await (await call('echo')).json()
  server.write('functions/.env', 'TONE=cool')
  expect(await seen()).toMatchObject({ TONE: 'cool', GREETING: 'Hello' })
  expect((await (await call('echo')).json()).started).not.toBe(started)
  server.write(
    'functions/_shared/cors.ts',
    `export const cors = { 'x-from': 'elsewhere', 'Access-Control-Allow-Origin': '*' }`,
  )
  expect((await call('echo')).headers.get('x-from')).toBe('elsewhere')
})

describe('answers', () => {
  it('server-sent events as they are sent; a reader who leaves ends them', async () => {
    const { data, error } = await stranger(server).functions.invoke('events')
    expect(error).toBeNull()
    // The body never ends: what is read was sent while it was being made. A busy machine brings two at once.
    let events = ''
    for await (const part of (data as Response).body ?? []) {
      events += new TextDecoder().decode(part)
      if (events.includes('data: 2')) break
    }
    expect(events).toMatch(/^data: 1\n\ndata: 2\n\n/)
  })

  it('a caller who leaves aborts the request', async () => {
    const leaving = new AbortController()
    const asked = stranger(server).functions.invoke('gone', { signal: leaving.signal })
    const count = async () => (await call('gone/count')).json()
    await expect.poll(count).toEqual({ waiting: 1, aborted: 0 })
    leaving.abort()
    const { error } = await asked
    expect(error.name).toBe('FunctionsFetchError')
    await expect.poll(count).toEqual({ waiting: 1, aborted: 1 })
  })

  it('bytes, redirects and CORS untouched', async () => {
    const preflight = await fetch(`${server.url}/functions/v1/echo`, { method: 'OPTIONS' })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    const { data } = await stranger(server).functions.invoke('upper', { body: 'é'.repeat(50_000) })
    expect(await (data as Blob).text()).toBe('É'.repeat(50_000))
  })

  it('twenty at once from one warm process', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, n) =>
        (await call('echo', { method: 'POST', body: `${n}` })).json(),
      ),
    )
    expect(answers.map(({ body }) => Number(body))).toEqual(Array.from({ length: 20 }, (_, n) => n))
    expect(new Set(answers.map(({ started }) => started)).size).toBe(1)
  })
})

describe('ways to be a function', () => {
  it.each([
    ['open/x', 'open /open/x'],
    ['elsewhere', 'mapped text'],
    ['old', 'old words'],
    ['node/deep?a=1', 'node POST /node/deep?a=1'],
    ['port', 'port'],
    ['named', 'named'],
    ['beside', 'noted beside 61 Hello'],
    ['configured', 'configured 127.0.0.1'],
  ])('%s', async (path, answer) => {
    const headers = { 'x-forwarded-for': '203.0.113.9, 10.0.0.1' }
    const response = await call(path, { method: 'POST', body: 'words', headers })
    expect([response.status, await response.text()]).toEqual([200, answer])
  })

  it('goes on after its answer', async () => {
    expect(await (await call('later', { method: 'POST' })).text()).toBe('answered')
    await expect.poll(async () => (await call('later')).json()).toEqual(['done'])
  })

  it('takes WebSockets', async () => {
    const open = (headers: Record<string, string>) =>
      new WebSocket(`${server.url.replace('http', 'ws')}/functions/v1/socket/room`, { headers })
    const socket = open({ authorization: `Bearer ${server.publishableKey}` })
    const heard: string[] = []
    socket.on('message', (data) => heard.push(String(data)))
    await once(socket, 'open')
    socket.send('hello')
    await expect.poll(() => heard).toEqual(['/socket/room hello'])
    socket.send('bye')
    expect((await once(socket, 'close'))[0]).toBe(1000)
    const [refusal] = await once(open({}), 'error')
    expect(refusal.message).toContain('401')
  })

  it('that answers instead of opening a WebSocket is asked nothing more on that connection', async () => {
    const { port } = new URL(server.url)
    const ask = (path: string, more = '') =>
      `GET /functions/v1/${path} HTTP/1.1\r\nHost: a\r\napikey: ${server.publishableKey}\r\n${more}\r\n`
    const upgrade =
      'Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n'
    const caller = connect(Number(port), '127.0.0.1')
    caller.write(ask('echo', upgrade) + ask('echo'))
    let heard = ''
    caller.on('data', (data) => {
      heard += data
    })
    await once(caller, 'close')
    expect(heard.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    expect(heard).toMatch(/^HTTP\/1\.1 201 Created\r\n[\s\S]*"method":"GET"/)
  })

  it('is open, closed or off as config.toml says', async () => {
    const status = async (name: string) => (await fetch(`${server.url}/functions/v1/${name}`)).status
    expect([await status('open'), await status('echo'), await status('off')]).toEqual([200, 401, 404])
    expect((await call('unwritten')).status).toBe(404)
  })
})
