// The server's answers outside of its services: configuration, health, metrics, and rejections.

import { createMetrics } from '@meadowlark/server/observability/metrics/metrics.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveTables } from '../../../packages/server/tests/support/tables.ts'
import { eventually } from '../../support/process.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const get = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers })

test('/config.json tells the app where the API is and its key', async () => {
  const response = await get('/config.json')
  expect(response.headers.get('cache-control')).toBe('no-cache')
  expect(await response.json()).toEqual({
    supabaseUrl: server.url,
    supabaseKey: server.publishableKey,
    sandbox: true,
    mapStyleUrl: null,
    mapTilesUrl: null,
    // 65 bytes: a point of P-256, by which browsers know who may push to them.
    vapidPublicKey: expect.stringMatching(/^[\w-]{87}$/),
  })
})

test('/health asks the database', async () => {
  const response = await get('/health')
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ status: 'ok', database: 'ok' })
})

test('every answer names its request, as the log does, by the id that a proxy gave it where there is one', async () => {
  for (const path of [
    '/health',
    '/',
    '/nowhere.txt',
    '/rest/v1/tasks',
    '/auth/v1/settings',
    '/storage/v1/none',
  ]) {
    const ids = [await get(path), await get(path)].map(({ headers }) => headers.get('sb-request-id'))
    expect(ids, path).toEqual([
      expect.stringMatching(/^[0-9a-f-]{36}$/),
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ])
    expect(ids[0], path).not.toBe(ids[1])
    const given = await get(path, { 'x-request-id': 'from-a.proxy:7' })
    expect(given.headers.get('sb-request-id'), path).toBe('from-a.proxy:7')
    const made = await get(path, { 'x-request-id': 'not one!' })
    expect(made.headers.get('sb-request-id'), path).toMatch(/^[0-9a-f-]{36}$/)
  }
})

test('/metrics speaks Prometheus text', async () => {
  await get('/health')
  const response = await get('/metrics')
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const text = await response.text()
  expect(text).toMatch(/http_request_duration_seconds_count\{service="web",method="GET",status="200"\} \d+/)
  expect(text).toMatch(
    /http_request_duration_seconds_bucket\{le="10",service="web",method="GET",status="200"\} \d+/,
  )
  expect(text).toMatch(
    /http_request_duration_seconds_sum\{service="web",method="GET",status="200"\} [\d.e-]+/,
  )
  expect(text).toMatch(/postgres_pool_connections\{pool="owner",state="open"\} \d+/)
  expect(text).toMatch(/process_cpu_seconds_total/)
})

test('/metrics is for this machine, or for callers with METRICS_TOKEN', async () => {
  const passedOn = await get('/metrics', { 'x-forwarded-for': '203.0.113.7' })
  expect([passedOn.status, (await passedOn.json()).message]).toEqual([
    403,
    'Without METRICS_TOKEN the metrics are only for requests straight from this machine',
  ])
  const token = 'a token of sixteen'
  const route = createMetrics({
    pools: {},
    plugins: [],
    dataDir: '/',
    backup: null,
    replicaUrl: null,
    login: 'authenticator',
    realtime: () => undefined,
    database: server.database.pool,
  }).route(token)
  const guarded = await serveTables([{ name: 'web', mount: '', routes: [route] }])
  const asked = async (authorization?: string) =>
    (await fetch(`${guarded.url}/metrics`, { headers: authorization ? { authorization } : {} })).status
  expect([await asked(), await asked('Bearer wrong'), await asked(`Bearer ${token}`)]).toEqual([
    401, 401, 200,
  ])
  await guarded.close()
})

test('an unknown address of the API is no page', async () => {
  for (const path of [
    '/rest/v9/x',
    '/storage/v1/object',
    '/sandbox/nothing',
    '/assets/app.js',
    '/nothing.png',
  ]) {
    const response = await get(path, { accept: 'text/html' })
    expect([path, response.status]).toEqual([path, 404])
    expect(response.headers.get('content-type')).toMatch(/json/)
  }
})

test('answers carry the headers that browsers ask for', async () => {
  const { headers } = await get('/config.json')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin')
})

test('a server that stops finishes the requests it has begun', async () => {
  const stopping = await startTestServer()
  const { pool } = stopping.database
  await pool.query(
    `create function public.think() returns text language sql as $$ select 'done' from pg_advisory_xact_lock(1) $$`,
  )
  // Statements end when the test allows it: after the server got the signal to stop.
  const holder = new pg.Client({ connectionString: stopping.database.url })
  await holder.connect()
  await holder.query('select pg_advisory_lock(1)')
  const begun = fetch(`${stopping.url}/rest/v1/rpc/think`, { headers: { apikey: stopping.secretKey } })
  await eventually(async () => {
    const { rowCount } = await holder.query(
      `select from pg_locks where locktype = 'advisory' and objid = 1 and not granted
       and database = (select oid from pg_database where datname = current_database())`,
    )
    return rowCount !== 0
  })
  const stopped = stopping.stop()
  await holder.end()
  await stopped
  expect(await (await begun).json()).toBe('done')
  await expect(fetch(`${stopping.url}/health`)).rejects.toThrow()
})
