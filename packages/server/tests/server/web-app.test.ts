// The built web app: encodings, caching, which addresses are pages, and the policy that guards them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pageHeaders, securityHeaders } from '../../src/http/security-headers.ts'
import { readWebApp, type WebApp } from '../../src/http/web-app.ts'
import { type ServedTables, serveTables } from '../support/tables.ts'

const PLACE = { origin: 'https://meadowlark.example', flags: ['sandbox'] }
const FAQ = `<html lang="fr"><link rel="canonical" href="{{origin}}/fr/faq">${'Pourquoi ? '.repeat(50)}`
const INDEX =
  '<!doctype html><script>document.title</script><script type="module" src="/assets/app-1a2b.js"></script>'
const APP = '<!doctype html><div id="root"></div>'
const SCRIPT = 'console.log("sheaves of wheat"); '.repeat(100)

let directory: string
let served: ServedTables
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'meadowlark-web-'))
  mkdirSync(join(directory, 'assets'))
  mkdirSync(join(directory, 'fr'))
  writeFileSync(join(directory, 'app.html'), APP)
  writeFileSync(join(directory, 'fr', 'faq.html'), FAQ)
  writeFileSync(join(directory, 'sitemap.xml'), '<loc>{{origin}}/</loc>')
  writeFileSync(join(directory, 'index.html'), INDEX)
  writeFileSync(join(directory, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(directory, 'assets', 'app-1a2b.js'), SCRIPT)
  writeFileSync(join(directory, 'assets', 'app-1a2b.js.br'), brotliCompressSync(SCRIPT))
  writeFileSync(join(directory, 'assets', 'app-1a2b.js.gz'), gzipSync(SCRIPT))
  writeFileSync(join(directory, 'assets', 'late-3c4d.js'), SCRIPT)
  const web = readWebApp(directory, PLACE) as WebApp
  served = await serveTables([{ name: 'web', mount: '', cors: null, routes: [web.route] }], {
    always: securityHeaders(false),
    pages: pageHeaders({ sources: [], apiOrigins: [], indexHtml: web.indexHtml }),
  })
})
afterAll(async () => {
  await served.close()
  rmSync(directory, { recursive: true })
})

// Not fetch, which sets its own encodings.
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<Response>((resolve, reject) => {
    const sent = request(served.url + path, { headers, method }, async (incoming) => {
      const body = Buffer.concat(await incoming.toArray())
      const shown = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])
      const status = incoming.statusCode as number
      resolve(new Response(status === 304 ? null : body, { status, headers: shown as [string, string][] }))
    })
    sent.once('error', reject)
    sent.end()
  })
const asBrowser = { accept: 'text/html,application/xhtml+xml' }

test('no build, no web app', () => {
  expect(readWebApp(join(directory, 'assets'), PLACE)).toBeNull()
})

test('addresses of pages get the app, which is asked for anew each time', async () => {
  for (const path of [
    '/',
    '/auth',
    '/browse?category=Moving%20%26%20Delivery',
    '/profile/6f1c7e0e',
    '/no/such/page',
  ]) {
    const response = await get(path, asBrowser)
    expect([path, response.status, response.headers.get('cache-control')]).toEqual([path, 200, 'no-cache'])
    expect(await response.text()).toBe(path === '/' ? INDEX : APP)
  }
})

test('a page rendered at build is served at its address, and says where it is and what is switched on', async () => {
  for (const path of ['/fr/faq', '/fr/faq/', '/fr/faq?from=mail']) {
    const response = await get(path, { ...asBrowser, 'accept-encoding': 'br' })
    expect([path, response.status, response.headers.get('content-encoding')]).toEqual([path, 200, 'br'])
    const page = brotliDecompressSync(Buffer.from(await response.arrayBuffer())).toString()
    expect(page).toMatch(
      /^<html data-sandbox lang="fr"><link rel="canonical" href="https:\/\/meadowlark\.example\/fr\/faq">/,
    )
  }
  expect(await (await get('/sitemap.xml')).text()).toBe('<loc>https://meadowlark.example/</loc>')
})

test('files that are not there are not pages', async () => {
  for (const path of ['/assets/app-old.js', '/robots.txt', '/.env', '/favicon.ico', '/%2e%2e/package.json']) {
    expect([path, (await get(path, asBrowser)).status]).toEqual([path, 404])
  }
  expect((await get('/auth', { accept: 'application/json' })).status).toBe(404)
})

test('a file that a later build removed is not there', async () => {
  rmSync(join(directory, 'assets', 'late-3c4d.js'))
  expect((await get('/assets/late-3c4d.js')).status).toBe(404)
})

test('hashed files stay for a year, in the encoding the browser prefers', async () => {
  const plain = await get('/assets/app-1a2b.js')
  expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(plain.headers.get('content-type')).toMatch(/^text\/javascript/)
  expect(plain.headers.get('content-encoding')).toBeNull()
  expect(await plain.text()).toBe(SCRIPT)
  const encoding = async (accepted: string) =>
    (await get('/assets/app-1a2b.js', { 'accept-encoding': accepted })).headers.get('content-encoding')
  expect(await encoding('gzip, deflate, br, zstd')).toBe('br')
  expect(await encoding('gzip')).toBe('gzip')
  expect(await encoding('br;q=0, gzip')).toBe('gzip')
  expect(await encoding('identity')).toBeNull()
  expect(plain.headers.get('vary')).toBe('accept-encoding')
})

test('a file that the browser has already is not sent again', async () => {
  const etag = (await get('/', asBrowser)).headers.get('etag') as string
  const again = await get('/', { ...asBrowser, 'if-none-match': etag })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test('HEAD has the headers alone', async () => {
  const response = await get('/assets/app-1a2b.js', {}, 'HEAD')
  expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
    200,
    String(SCRIPT.length),
    '',
  ])
})

test('pages carry a policy: their own origin, their inline scripts, and Stripe only when configured', async () => {
  const policy = (await get('/', asBrowser)).headers.get('content-security-policy') ?? ''
  expect(policy).toContain(`default-src 'self'`)
  expect(policy).toMatch(/script-src 'self' 'sha256-[\w+/=]{44}';/)
  expect(policy).not.toMatch(/stripe|unsafe-eval/)
  expect((await get('/favicon.svg')).headers.get('content-security-policy')).toBeNull()

  // No page is shown in another one's frame, above all not those on which people sign in, agree and change their account.
  for (const path of ['/', '/auth', '/oauth/consent', '/profile', '/no-such-page']) {
    const { headers } = await get(path, asBrowser)
    expect([path, headers.get('x-frame-options')]).toEqual([path, 'DENY'])
    expect(headers.get('content-security-policy')).toContain(`frame-ancestors 'none'`)
  }

  const sources = { 'script-src': ['https://js.stripe.com'] }
  const pages = pageHeaders({ sources: [sources], apiOrigins: ['https://api.example.com'], indexHtml: '' })
  expect(pages['content-security-policy']).toMatch(/script-src 'self' https:\/\/js\.stripe\.com;/)
  expect(pages['content-security-policy']).toMatch(
    /connect-src 'self' https:\/\/api\.example\.com wss:\/\/api\.example\.com/,
  )
  expect(securityHeaders(true)['strict-transport-security']).toBe('max-age=31536000')
})
