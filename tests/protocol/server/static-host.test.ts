// The web app as static files with hosted Supabase: nginx as it is installed, Netlify's files and Cloudflare's worker
// send what our own server sends.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { isPagePath, type StaticSite } from '@meadowlark/server/http/file-addresses.ts'
import { readWebApp, type WebApp } from '@meadowlark/server/http/web-app.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer } from '../../../deploy/cloudflare.ts'
import { writeStaticSite } from '../../../deploy/static-site.ts'
import { freePort } from '../../../packages/server/tests/support/free-port.ts'
import { type ServedTables, serveTables } from '../../../packages/server/tests/support/tables.ts'
import { loadConfig } from '../../../plugins/index.ts'
import { hasNginx, startNginx } from '../../support/nginx.ts'

const ORIGIN = 'https://meadowlark.example'
const API = 'https://abcdefgh.supabase.co'
const FILES = {
  'index.html': `<!doctype html><html lang="en"><script>document.title</script>${'Snow. '.repeat(100)}`,
  'app.html': '<!doctype html><html lang="en"><div id="root"></div>',
  '404.html': '<!doctype html><html lang="en"><meta name="robots" content="noindex"><div id="root"></div>',
  'addresses.json': JSON.stringify({
    languages: ['fr'],
    addresses: ['/', '/faq', '/my-jobs', '/task/:id', '/task/:id/edit'],
  }),
  'faq.html': '<html lang="en"><link rel="canonical" href="{{origin}}/faq">',
  'fr.html': '<html lang="fr">Bonjour',
  'fr/faq.html': '<html lang="fr">Pourquoi',
  'robots.txt': 'Sitemap: {{origin}}/sitemap.xml',
  'sitemap.xml': '<loc>{{origin}}/</loc>',
  'service-worker.js': 'self.addEventListener("fetch", () => {})',
  'manifest.webmanifest': '{}',
  'favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'assets/app-1a2b.js': 'console.log("sheaves of wheat"); '.repeat(100),
  'assets/app-1a2b.css': 'body { color: teal }',
  'assets/figtree.woff2': 'wOF2',
}
/** Addresses that a browser opens, and the file at each; null where there is none. */
const ADDRESSES: Record<string, keyof typeof FILES | null> = {
  '/': 'index.html',
  '/faq': 'faq.html',
  '/faq/': 'faq.html',
  '/fr': 'fr.html',
  '/fr/': 'fr.html',
  '/fr/faq?from=mail': 'fr/faq.html',
  '/my-jobs': 'app.html',
  '/fr/my-jobs': 'app.html',
  '/task/a1/edit/': 'app.html',
  '/no/such/page/': '404.html',
  '/fr/no-such-page': '404.html',
  '/xx/my-jobs': '404.html',
  '/robots.txt': 'robots.txt',
  '/sitemap.xml': 'sitemap.xml',
  '/service-worker.js': 'service-worker.js',
  '/manifest.webmanifest': 'manifest.webmanifest',
  '/favicon.svg': 'favicon.svg',
  '/assets/app-1a2b.js': 'assets/app-1a2b.js',
  '/assets/app-1a2b.css': 'assets/app-1a2b.css',
  '/assets/figtree.woff2': 'assets/figtree.woff2',
  '/assets/app-old.js': null,
  '/favicon.ico': null,
}
/** Headers that name a version, a moment or a connection. */
const PASSING = ['etag', 'last-modified', 'date', 'connection', 'keep-alive', 'server', 'accept-ranges']
const LENGTHS = ['content-length', 'transfer-encoding', 'sb-request-id']
const browser = { headers: { accept: 'text/html,*/*', 'accept-encoding': 'gzip' } }

const directory = mkdtempSync(join(tmpdir(), 'meadowlark-static-'))
const built = join(directory, 'web')
let ours: ServedTables
let site: StaticSite
const config = loadConfig({ workdir: '.', production: false, env: {} })
const write = (host: 'nginx' | 'netlify' | 'cloudflare') =>
  writeStaticSite({
    config,
    host,
    origin: ORIGIN,
    api: API,
    from: built,
    to: join(directory, host),
    key: 'sb_publishable_x',
  })

beforeAll(async () => {
  for (const [path, body] of Object.entries(FILES)) {
    mkdirSync(join(built, path, '..'), { recursive: true })
    writeFileSync(join(built, path), body)
    if (/\.(js|css)$/.test(path)) writeFileSync(join(built, `${path}.gz`), gzipSync(body))
  }
  site = write('nginx')
  const web = readWebApp(built, { origin: ORIGIN, flags: [] }) as WebApp
  ours = await serveTables([{ name: 'web', mount: '', cors: null, routes: [web.route] }], site)
})
afterAll(async () => {
  await ours?.close()
  rmSync(directory, { recursive: true })
})

/** Status and headers that stay, then the body. */
async function seen(response: Response, path: string) {
  const kept = [...response.headers].filter(([name]) => ![...PASSING, ...LENGTHS].includes(name))
  const headers = Object.fromEntries(kept.map(([name, value]) => [name, value.toLowerCase()]))
  const { vary: _, ...rest } = headers
  // For a missing file, browsers use only these headers.
  if (response.status === 404) {
    const told = Object.keys(site.always).map((name) => [name, headers[name]])
    const body = isPagePath(path) ? { body: await response.text() } : {}
    return { status: 404, headers: told, path, ...body }
  }
  // Whether something is worth compressing is the host's to say.
  delete rest['content-encoding']
  return { status: response.status, headers: rest, path, body: await response.text() }
}

describe.skipIf(!hasNginx)('nginx', () => {
  let url: string
  let stop: () => Promise<unknown>
  beforeAll(async () => {
    const site = join(directory, 'nginx.conf')
    const nginx = await startNginx({ directory, site, port: await freePort() })
    url = nginx.url
    stop = nginx.stop
  })
  afterAll(() => stop?.())

  test.each(Object.entries(ADDRESSES))('%s has the headers and bytes of our server', async (path, file) => {
    const [theirs, own] = await Promise.all([fetch(url + path, browser), fetch(ours.url + path, browser)])
    const vary = [theirs.headers.get('vary')?.toLowerCase(), theirs.headers.get('content-encoding')]
    if (file && /\.(html|js|css)$/.test(file)) expect(vary).toEqual(['accept-encoding', 'gzip'])
    const answered = await seen(theirs, path)
    expect(answered).toEqual(await seen(own, path))
    if (file) expect(answered.body).toBe(FILES[file].replace('{{origin}}', ORIGIN))
    expect(answered.status).toBe(file && file !== '404.html' ? 200 : 404)
  })

  test('pages may talk to the project and to Stripe, and the app knows both', async () => {
    const policy = (await fetch(`${url}/my-jobs`)).headers.get('content-security-policy') ?? ''
    expect(policy).toContain(`connect-src 'self' ${API} wss://abcdefgh.supabase.co https://api.stripe.com`)
    expect(policy).toMatch(/script-src 'self' 'sha256-[\w+/=]{44}' https:\/\/\*\.js\.stripe\.com/)
    const response = await fetch(`${url}/config.json`)
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(await response.json()).toEqual({ supabaseUrl: API, supabaseKey: 'sb_publishable_x' })
  })
})

test('Netlify gets the same headers, none by two rules, and the place of the app', () => {
  write('netlify')
  const read = (name: string) => readFileSync(join(directory, 'netlify', name), 'utf8')
  const rules = new Map<string, [string, string][]>()
  for (const line of read('_headers').trimEnd().split('\n')) {
    if (line.startsWith('/')) rules.set(line, [])
    else [...rules.values()].at(-1)?.push(line.trim().split(/: (.*)/, 2) as [string, string])
  }
  expect(Object.fromEntries(rules.get('/*') ?? [])).toEqual({ ...site.always, ...site.pages })
  expect(rules.get('/assets/*')).toEqual([['cache-control', 'public, max-age=31536000, immutable']])
  expect([...rules.keys()]).toEqual(['/*', '/assets/*'])
  const app = ['/faq', '/my-jobs', '/task/:id', '/task/:id/edit'].map((path) => `${path}  /app.html  200\n`)
  const french = app.map((rule) => `/fr${rule}`)
  expect(read('_redirects')).toBe(
    ['/assets/*  /404.html  404\n', ...app, ...french, '/*  /404.html  404\n'].join(''),
  )
  expect(existsSync(join(directory, 'netlify', 'assets/app-1a2b.js.gz'))).toBe(false)
})

test('Cloudflare’s worker answers every address as our own server does', async () => {
  write('cloudflare')
  const folder = join(directory, 'cloudflare')
  // As Pages finds files: without `.html`, and with the nearest 404.html.
  const fetchAsset = async (request: Request | URL) => {
    const path = new URL(request instanceof Request ? request.url : request).pathname
    const name = path === '/' ? '/index' : path.replace(/\/$/, '')
    const found = [name, `${name}.html`].find((file) => /\.\w+$/.test(file) && existsSync(folder + file))
    const type = (await fetch(ours.url + (found ? path : '/'), browser)).headers.get('content-type') as string
    const body = readFileSync(folder + (found ?? '/404.html'))
    return new Response(body, { status: found ? 200 : 404, headers: { 'content-type': type } })
  }
  for (const path of Object.keys(ADDRESSES)) {
    const request = new Request(ORIGIN + path, browser)
    const theirs = await answer(request, { fetch: fetchAsset }, site)
    expect(await seen(theirs, path)).toEqual(await seen(await fetch(ours.url + path, browser), path))
  }
})

test('files for nginx are compressed already', () => {
  const page = gunzipSync(readFileSync(join(directory, 'nginx', 'faq.html.gz'))).toString()
  expect(page).toBe(FILES['faq.html'].replace('{{origin}}', ORIGIN))
})
