// The functions host, through supabase-js and plain requests, on a project it has never seen.
import { once } from 'node:events'
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
      [functions.off]
      enabled = false
      [edge_runtime.secrets]
      GREETING = "Hello"
    `,
    'functions/_shared/word.ts': `export const word: string = 'shared'`,
    'functions/hello/handler.ts': `
      import { createClient } from 'npm:@supabase/supabase-js@2'
      import { word } from '../_shared/word.ts'
      export default async (request, env) => {
        const url = new URL(request.url)
        return Response.json({
          greeting: env.GREETING, word, made: typeof createClient(env.SUPABASE_URL, env.SUPABASE_ANON_KEY).from,
          method: request.method, path: url.pathname, query: url.search, body: await request.text(),
        }, { status: 201, headers: { 'x-own': 'yes' } })
      }`,
    'functions/open/handler.ts': `
      export default (request) => request.method === 'OPTIONS'
        ? new Response(null, { status: 204, headers: { 'access-control-allow-origin': 'https://app.test' } })
        : new Response('open')`,
    'functions/asked/handler.ts': `
      export default (request, env) => Response.json({
        authorization: request.headers.get('authorization'),
        trusted: request.headers.get('authorization') === 'Bearer ' + env.SUPABASE_SERVICE_ROLE_KEY,
      })`,
    'functions/stream/handler.ts': `
      export default () => {
        let count = 0
        return new Response(new ReadableStream({
          async pull(controller) {
            await new Promise((resolve) => setTimeout(resolve, 20))
            count++ < 3 ? controller.enqueue(new TextEncoder().encode('data: ' + count + '\\n\\n')) : controller.close()
          },
        }), { headers: { 'content-type': 'text/event-stream' } })
      }`,
    'functions/throws/handler.ts': `export default () => { throw new Error('secret detail') }`,
    'functions/refuses/handler.ts': `export default () => Response.json({ error: 'no' }, { status: 422 })`,
    'functions/redirects/handler.ts': `export default () => Response.redirect('https://example.com/', 302)`,
    'functions/nothing/handler.ts': `export default () => undefined`,
    'functions/broken/handler.ts': `export default (`,
    'functions/missing-package/handler.ts': `import 'no-such-package'; export default () => new Response()`,
    'functions/no-handler/handler.ts': `export const other = 1`,
    'functions/off/handler.ts': `export default () => new Response('off')`,
  })
})
afterAll(() => server.stop())

const call = (path: string, init: RequestInit = {}) =>
  fetch(`${server.url}/functions/v1/${path}`, {
    ...init,
    headers: { authorization: `Bearer ${server.publishableKey}`, ...init.headers },
  })

describe('running', () => {
  it('gives the handler the request and its environment, with packages and shared files', async () => {
    const { data, error, response } = await stranger(server).functions.invoke('hello', {
      body: { name: 'Ada' },
    })
    expect(error).toBeNull()
    expect(response?.status).toBe(201)
    expect(data).toMatchObject({
      greeting: 'Hello',
      word: 'shared',
      made: 'function',
      method: 'POST',
      path: '/hello',
      body: '{"name":"Ada"}',
    })
  })

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])(
    'passes on %s, a path below the name and the query',
    async (method) => {
      const response = await call('hello/deep/er?a=1', { method })
      expect(response.headers.get('x-own')).toBe('yes')
      expect(await response.json()).toMatchObject({ method, path: '/hello/deep/er', query: '?a=1' })
    },
  )

  it('streams', async () => {
    const response = await call('stream')
    const reader = response.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: 1\n\n')
    await reader?.cancel()
  })

  it('passes on redirects', async () => {
    const response = await call('redirects', { redirect: 'manual' })
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe('https://example.com/')
  })

  it('lets the function answer a preflight, without a token', async () => {
    const response = await fetch(`${server.url}/functions/v1/open`, { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.test')
  })
})

describe('tokens', () => {
  it('wants one, unless the function is open', async () => {
    const url = `${server.url}/functions/v1`
    const without = await fetch(`${url}/hello`, { method: 'POST' })
    expect(without.status).toBe(401)
    expect(without.headers.get('x-relay-error')).toBe('true')
    expect(await without.json()).toMatchObject({ message: 'Missing authorization header' })
    expect((await fetch(`${url}/open`)).status).toBe(200)
    const forged = {
      authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoic2VydmljZV9yb2xlIn0.c2lnbmF0dXJl',
    }
    expect((await fetch(`${url}/hello`, { headers: forged })).status).toBe(401)
    // A provider's call carries whatever it carries.
    expect((await fetch(`${url}/open`, { headers: forged })).status).toBe(200)
  })

  it('takes a signed token and the keys', async () => {
    const token = await server.services.keys.sign({
      role: 'authenticated',
      sub: '11111111-1111-4111-8111-111111111111',
      iat: Math.floor(Date.now() / 1000),
      exp: Math.floor(Date.now() / 1000) + 60,
    })
    for (const bearer of [token, server.publishableKey, server.secretKey]) {
      const response = await call('hello', { headers: { authorization: `Bearer ${bearer}` } })
      expect(response.status).toBe(201)
    }
  })
})

describe('a key in `apikey` alone', () => {
  const asked = async (headers: Record<string, string>) => {
    const response = await fetch(`${server.url}/functions/v1/asked`, { headers })
    return response.status === 200 ? response.json() : response.status
  }

  it('reaches the function as a bearer token', async () => {
    const bearer = (key: string) => `Bearer ${key}`
    expect(await asked({ apikey: server.secretKey })).toEqual({
      authorization: bearer(server.secretKey),
      trusted: true,
    })
    expect(await asked({ apikey: server.publishableKey })).toEqual({
      authorization: bearer(server.publishableKey),
      trusted: false,
    })
  })

  it('changes no token that came with it, and an unknown one is no key', async () => {
    const own = await asked({
      apikey: server.secretKey,
      authorization: `Bearer ${server.publishableKey}`,
    })
    expect(own.trusted).toBe(false)
    expect(await asked({ apikey: 'sb_secret_unknown' })).toBe(401)
  })
})

describe('failures', () => {
  const kind = async (name: string) => {
    const { error } = await stranger(server).functions.invoke(name)
    return error?.name
  }

  it('tells a function that failed from a host that failed', async () => {
    expect(await kind('refuses')).toBe('FunctionsHttpError')
    expect(await kind('throws')).toBe('FunctionsHttpError')
    expect(await kind('no-such-function')).toBe('FunctionsRelayError')
  })

  it.each([
    ['no-such-function', 404, 'NOT_FOUND'],
    ['_shared', 404, 'NOT_FOUND'],
    ['off', 404, 'NOT_FOUND'],
    ['..%2fhello', 404, 'NOT_FOUND'],
    ['broken', 503, 'BOOT_ERROR'],
    ['missing-package', 503, 'BOOT_ERROR'],
    ['no-handler', 503, 'BOOT_ERROR'],
  ])('%s: %i %s', async (name, status, code) => {
    const response = await call(name, { method: 'POST' })
    expect(response.status).toBe(status)
    expect(response.headers.get('sb-error-code')).toBe(code)
    // A browser may read what the host has to say.
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toContain('x-relay-error')
    const body = await response.json()
    expect(body.code).toBe(code)
    expect(JSON.stringify(body)).not.toContain('secret detail')
  })

  it.each(['throws', 'nothing'])('%s: what Deno.serve answers, marked', async (name) => {
    const response = await call(name, { method: 'POST' })
    expect(response.status).toBe(500)
    expect(response.headers.get('sb-error-code')).toBe('EDGE_FUNCTION_ERROR')
    expect(await response.text()).toBe('Internal Server Error')
  })

  it('a handler of this process takes no WebSocket', async () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/functions/v1/hello`, {
      headers: { authorization: `Bearer ${server.publishableKey}` },
    })
    const [error] = await once(socket, 'error')
    expect(error.message).toContain('501')
  })

  it('takes no body above its limit', async () => {
    const response = await call('hello', { method: 'POST', body: 'x'.repeat(11 * 1024 * 1024) })
    expect(response.status).toBe(413)
  })
})
