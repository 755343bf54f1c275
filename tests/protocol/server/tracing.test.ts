// OpenTelemetry: a collector receives, by OTLP over HTTP, what each request did and how long it took, without
// anybody's data.

import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { type Listener, listen } from '../../../packages/server/tests/support/listener.ts'
import { loadConfig } from '../../../plugins/index.ts'
import { repositoryRoot } from '../../../plugins/repository.ts'
import { eventually } from '../../support/process.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

type Value = { stringValue?: string; intValue?: number; boolValue?: boolean }
type Attributes = { key: string; value: Value }[]
type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: Attributes
  status: { code?: number }
}

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = 'b7ad6b7169203331'
const before = { ...process.env }

let collector: Listener
let server: TestServer | null = null
beforeEach(async () => {
  collector = await listen(() => ({}))
})
afterEach(async () => {
  await server?.stop()
  server = null
  await collector.close()
  for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name]
})
afterAll(() => Object.assign(process.env, before))

/** The libraries read the process's environment. */
async function start(more: Record<string, string> = {}, options = {}): Promise<TestServer> {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '20', ...more }
  Object.assign(process.env, env)
  server = await startTestServer({ env, ...options })
  return server
}

const batches = () => collector.received.map(({ body }) => JSON.parse(body).resourceSpans[0])
const spans = (): Span[] =>
  batches().flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope: { spans: Span[] }) => scope.spans))
const named = (name: string) => spans().find((span) => span.name === name)
const plain = (attributes: Attributes = []) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

function ask(
  { url, publishableKey }: TestServer,
  path: string,
  init: RequestInit & { headers?: Record<string, string> } = {},
) {
  const headers = { apikey: publishableKey, 'content-type': 'application/json', ...init.headers }
  return fetch(url + path, { ...init, headers })
}

const sampled = (flags: string) => ({ traceparent: `00-${TRACE}-${CALLER}-${flags}` })

test('a request is part of its caller’s trace, and its transaction is part of it', async () => {
  const headers = 'authorization=Bearer%20of-the-collector'
  const server = await start({
    OTEL_EXPORTER_OTLP_HEADERS: headers,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  })
  const given = { ...sampled('01'), 'x-request-id': 'web-1', baggage: 'who=grace' }
  expect((await ask(server, '/rest/v1/tasks?title=eq.Plumbing', { headers: given })).status).toBe(200)
  await eventually(async () => spans().some(({ parentSpanId }) => parentSpanId === CALLER))

  const request = spans().find(({ parentSpanId }) => parentSpanId === CALLER) as Span
  expect([request.traceId, request.kind]).toEqual([TRACE, 2])
  expect(request.name).toBe('GET /rest/v1/*')
  expect(plain(request.attributes)).toEqual({
    'http.request.method': 'GET',
    'http.response.status_code': 200,
    'http.route': '/rest/v1/*',
    'meadowlark.request_id': 'web-1',
    'meadowlark.service': 'rest',
  })
  const transaction = spans().find(({ parentSpanId }) => parentSpanId === request.spanId) as Span
  expect([transaction.name, transaction.kind]).toEqual(['transaction', 3])
  expect(plain(transaction.attributes)).toEqual({ 'db.system.name': 'postgresql', 'meadowlark.role': 'anon' })

  expect(collector.received[0]).toMatchObject({
    path: '/v1/traces',
    headers: { 'content-type': 'application/json', authorization: 'Bearer of-the-collector' },
  })
  expect(plain(batches()[0].resource.attributes)).toMatchObject({
    'service.name': 'meadowlark',
    'deployment.environment.name': 'test',
  })
})

test('jobs, mail, functions, stored bytes and failures are spans, and none has anybody’s data', async () => {
  const server = await start({ OTEL_SERVICE_NAME: 'market' })
  const grace = { email: 'grace@example.com', password: 'Meadowlark1' }
  await ask(server, '/auth/v1/signup?redirect_to=https://example.com/grace', {
    method: 'POST',
    body: JSON.stringify({ ...grace, data: { full_name: 'Grace', role: 'task_giver' } }),
  })
  await ask(server, '/functions/v1/get-stripe-config', { method: 'POST', body: '{}' })
  const secret = { apikey: server.secretKey, authorization: `Bearer ${server.secretKey}` }
  const bucket = JSON.stringify({ id: 'grace-bucket', name: 'grace-bucket' })
  await ask(server, '/storage/v1/bucket', { method: 'POST', headers: secret, body: bucket })
  const text = { ...secret, 'content-type': 'text/plain' }
  const put = await ask(server, '/storage/v1/object/grace-bucket/grace.txt', {
    method: 'POST',
    headers: text,
    body: 'Hello',
  })
  expect(put.status).toBe(200)
  await server.database.pool.query(
    `create function public.fails() returns void language plpgsql as
       $$ begin raise exception 'grace@example.com failed' using errcode = 'XX000'; end $$`,
  )
  await eventually(
    async () => (await ask(server, '/rest/v1/rpc/fails', { method: 'POST', body: '{}' })).status === 500,
  )

  const wanted = [
    'POST /auth/v1/signup',
    'job send_mail',
    'send mail',
    'function get-stripe-config',
    'storage put',
  ]
  await eventually(async () => wanted.every(named) && spans().some(({ status }) => status.code === 2))
  expect(named('send mail')?.parentSpanId).toBe(named('job send_mail')?.spanId)
  expect(named('function get-stripe-config')?.parentSpanId).toBe(named('POST /functions/v1/:name')?.spanId)
  const failed = spans().filter(({ status }) => status.code === 2)
  expect(failed.map(({ attributes }) => plain(attributes)['error.type'])).toEqual(
    expect.arrayContaining(['500', 'XX000']),
  )
  expect(plain(batches()[0].resource.attributes)['service.name']).toBe('market')
  const { rows } = await server.database.pool.query<{ id: string }>('select id from auth.users')
  for (const personal of ['grace', 'Meadowlark1', 'Hello', rows[0]?.id as string])
    expect(JSON.stringify(spans()).toLowerCase()).not.toContain(personal.toLowerCase())
})

test('spans that the caller, or the ratio, leaves out are not sent', async () => {
  const server = await start({
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  await ask(server, '/rest/v1/tasks')
  await ask(server, '/rest/v1/tasks', { headers: sampled('00') })
  await ask(server, '/health/live', { headers: sampled('01') })
  await eventually(async () => spans().length > 0)
  expect(spans().map(({ traceId, name }) => [traceId, name])).toEqual([[TRACE, 'GET /health/live']])
})

test('a collector that is away is logged, and holds nothing up', async () => {
  const lines: string[] = []
  const server = await start(
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_TIMEOUT: '200' },
    { logLevel: 'warn', onLogLine: (line: string) => lines.push(line) },
  )
  await eventually(async () => {
    expect((await ask(server, '/health/live')).status).toBe(200)
    return lines.some((line) => line.includes('traces cannot be sent'))
  })
})

test('settings that are none are named', () => {
  const wrong = (name: string, value: string) =>
    expect(() => loadConfig({ workdir: repositoryRoot, env: { [name]: value } })).toThrow(
      new RegExp(`${name}: `),
    )
  wrong('OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc')
  wrong('OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4317')
})
