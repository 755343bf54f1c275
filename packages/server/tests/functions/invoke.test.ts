// The rest of functions-js's options, with handlers that run in the server's process: regions, tokens set by hand,
// deadlines, kinds of answers, callers who leave.
import { setTimeout as sleep } from 'node:timers/promises'
import { FunctionRegion } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stranger } from '../support/people.ts'
import { type Project, startProject } from './project.ts'

let server: Project
beforeAll(async () => {
  server = await startProject({
    'functions/seen/handler.ts': `
      export default (request) => Response.json({
        url: request.url, region: request.headers.get('x-region'), token: request.headers.get('authorization') })`,
    'functions/kinds/handler.ts': `
      export default async (request) => {
        const kind = await request.text()
        if (kind === 'form') { const form = new FormData(); form.set('a', 'b'); return new Response(form) }
        if (kind === 'pdf') return new Response('%PDF', { headers: { 'content-type': 'application/pdf' } })
        if (kind === 'json') return Response.json([1])
        return new Response('words')
      }`,
    'functions/waits/handler.ts': `
      let left = 0
      export default async (request) => {
        if (request.method === 'GET') return new Response(String(left))
        return new Promise((resolve) => request.signal.addEventListener('abort', () => { left++; resolve(new Response()) }))
      }`,
    'functions/ticks/handler.ts': `
      let ended = 0
      export default (request) => {
        if (request.method === 'GET') return new Response(String(ended))
        let timer
        return new Response(new ReadableStream({
          start(controller) { timer = setInterval(() => controller.enqueue(new TextEncoder().encode('data: tick\\n\\n')), 20) },
          cancel() { clearInterval(timer); ended++ },
        }), { headers: { 'content-type': 'text/event-stream' } })
      }`,
  })
})
afterAll(() => server.stop())

const count = async (name: string) =>
  (await stranger(server).functions.invoke(name, { method: 'GET' })).data as string

describe('options', () => {
  it('region', async () => {
    const { data } = await stranger(server).functions.invoke('seen', { region: FunctionRegion.CaCentral1 })
    expect(data.region).toBe('ca-central-1')
    expect(new URL(data.url).search).toBe('?forceFunctionRegion=ca-central-1')
  })

  it('a token set by hand', async () => {
    const { functions } = stranger(server)
    functions.setAuth('nonsense')
    expect((await functions.invoke('seen')).error.name).toBe('FunctionsRelayError')
    functions.setAuth(server.secretKey)
    expect((await functions.invoke('seen')).data.token).toBe(`Bearer ${server.secretKey}`)
  })

  it('a deadline aborts the request that the function sees', async () => {
    // It is compiled before the deadline runs.
    expect(await count('waits')).toBe('0')
    const { error } = await stranger(server).functions.invoke('waits', { timeout: 300 })
    expect(error.name).toBe('FunctionsFetchError')
    await expect.poll(() => count('waits')).toBe('1')
  })
})

describe('answers', () => {
  it('JSON, text, bytes and forms as what they are', async () => {
    const kind = async (body: string) => (await stranger(server).functions.invoke('kinds', { body })).data
    expect(await kind('json')).toEqual([1])
    expect(await kind('words')).toBe('words')
    expect(await ((await kind('pdf')) as Blob).text()).toBe('%PDF')
    expect(((await kind('form')) as FormData).get('a')).toBe('b')
  })

  it('events until the reader leaves', async () => {
    const leaving = new AbortController()
    const { data } = await stranger(server).functions.invoke('ticks', { signal: leaving.signal })
    const reader = (data as Response).body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('data: tick')
    leaving.abort()
    await sleep(20)
    await expect.poll(() => count('ticks')).toBe('1')
  })
})

describe('refusals', () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const token = (alg: string) => `Bearer ${encode({ alg, typ: 'JWT' })}.${encode({ role: 'anon' })}.c2ln`
  it.each([
    [undefined, 'UNAUTHORIZED_NO_AUTH_HEADER', 'Missing authorization header'],
    ['Basic Zm9v', 'UNAUTHORIZED_INVALID_JWT_FORMAT', "Auth header is not 'Bearer {token}'"],
    ['Bearer nonsense', 'UNAUTHORIZED_INVALID_JWT_FORMAT', 'Invalid JWT'],
    [token('HS256'), 'UNAUTHORIZED_LEGACY_JWT', 'Invalid JWT'],
    [token('ES256'), 'UNAUTHORIZED_ASYMMETRIC_JWT', 'Invalid JWT'],
    [token('PS256'), 'UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM', 'Unsupported JWT algorithm PS256'],
  ])('%s: %s', async (authorization, code, message) => {
    const headers: Record<string, string> = authorization ? { authorization } : {}
    const response = await fetch(`${server.url}/functions/v1/seen`, { method: 'POST', headers })
    expect(response.status).toBe(401)
    expect(response.headers.get('sb-error-code')).toBe(code)
    expect(await response.json()).toEqual({ code, message })
  })

  it('an API key alone is enough, as it is on Supabase', async () => {
    const headers = { apikey: server.publishableKey }
    expect((await fetch(`${server.url}/functions/v1/seen`, { method: 'POST', headers })).status).toBe(200)
  })
})

describe('in production', () => {
  it('functions can read that they are deployed, and where', async () => {
    const deployed = await startProject(
      { 'functions/told/handler.ts': `export default (_, env) => Response.json(env)` },
      { NODE_ENV: 'production', SITE_URL: 'https://app.example' },
    )
    const { data } = await stranger(deployed).functions.invoke('told')
    const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/)
    expect(data).toMatchObject({
      SB_REGION: 'local',
      SB_EXECUTION_ID: uuid,
      DENO_DEPLOYMENT_ID: uuid,
      SB_JWT_ISSUER: 'https://app.example/auth/v1',
    })
    await deployed.stop()
  })
})
