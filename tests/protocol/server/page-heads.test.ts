// Pages for search engines and link previews without JavaScript: tasks, people and sitemaps, by our server and by the
// front of static files next to hosted Supabase.
import { randomUUID } from 'node:crypto'
import { functionRoutes } from '@meadowlark/server/http/function-pages.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerByFunction } from '../../../deploy/page-heads.ts'
import { type ServedTables, serveTables } from '../../../packages/server/tests/support/tables.ts'
import { pageHeads } from '../../../plugins/page-heads.ts'
import { makeAccount } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const SITE = 'https://meadowlark.example'
const APP =
  '<!doctype html><html lang="en" dir="ltr"><head><title>Meadowlark</title></head><body><noscript>No</noscript></body></html>'
const NASTY = `</script><script>alert("1")</script> 'snow' ❄️ ثلج`

let server: TestServer
let site: ServedTables
let gone: ServedTables
let open: string
let closed: string
let theo: string
let grace: string

beforeAll(async () => {
  server = await startTestServer({ env: { SITE_URL: SITE } })
  const table = (origin: string) => ({
    name: 'web',
    mount: '',
    cors: null,
    routes: functionRoutes({ web: { appHtml: APP }, plugins: [pageHeads], origin: () => origin }),
  })
  site = await serveTables([table(server.url)])
  gone = await serveTables([table('http://127.0.0.1:9')])
  grace = await makeAccount(server, 'grace')
  theo = await makeAccount(server, 'theo')
  const post = async (status: string) => {
    const { rows } = await server.database.pool.query(
      `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, status)
       values ($1, $2, 'Two cars wide, and the walk to the door.', 'Snow Removal', 'Saskatoon', 80, $3) returning id`,
      [grace, NASTY, status],
    )
    return rows[0].id as string
  }
  open = await post('open')
  closed = await post('completed')
  await server.database.pool.query(
    `update private.profiles set id_verified = true, bio = 'Carpenter' where id = $1`,
    [theo],
  )
})
afterAll(async () => {
  await Promise.all([site?.close(), gone?.close()])
  await server?.stop()
})

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(site.url + path, { headers: { accept: 'text/html', ...headers } })
const beside = (path: string) =>
  answerByFunction(new Request(SITE + path), {
    functions: `${server.url}/functions/v1`,
    file: async () => new Response(APP, { headers: { 'content-type': 'text/html', etag: '"app"' } }),
  })

test('an open task is read without JavaScript, the same by both homes', async () => {
  const answer = await get(`/fr/task/${open}`)
  const page = await answer.text()
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-cache'])
  expect(page).toContain('<html lang="fr" dir="ltr">')
  expect(page).toContain(`<link rel="canonical" href="${SITE}/fr/task/${open}" />`)
  expect(page).toContain('&lt;/script&gt;&lt;script&gt;alert(&quot;1&quot;)')
  // One script, of data, and one of them in all.
  expect(page.match(/<script/g)).toEqual(['<script'])
  expect(page.match(/<\/script>/g)).toHaveLength(1)
  const other = await beside(`/fr/task/${open}`)
  expect([other?.status, other?.headers.get('etag'), await other?.text()]).toEqual([200, null, page])
})

test('a page that has not changed is not sent again', async () => {
  const etag = (await get(`/task/${open}`)).headers.get('etag') as string
  const again = await get(`/task/${open}`, { 'if-none-match': etag })
  expect([again.status, await again.text()]).toEqual([304, ''])
  await server.database.pool.query('update public.tasks set pay_amount = 90 where id = $1', [open])
  expect((await get(`/task/${open}`, { 'if-none-match': etag })).status).toBe(200)
})

test('a page without content for strangers answers 404 and is not cached: all such pages are the same', async () => {
  const hidden = randomUUID()
  const pages = await Promise.all(
    [`/task/${closed}`, `/task/${hidden}`, '/task/no-id', `/xx/task/${open}`, `/profile/${hidden}`].map(
      async (path) => {
        const answers = [await get(path), (await beside(path)) as Response]
        expect(
          answers.map(({ status }) => status),
          path,
        ).toEqual([404, 404])
        return Promise.all(answers.map((answer) => answer.text()))
      },
    ),
  )
  expect(new Set(pages.flat()).size).toBe(1)
  expect(pages[0]?.[0]).toContain('<meta name="robots" content="noindex" />')
})

test('a hidden or suspended person is nobody, and in no sitemap', async () => {
  const set = (change: string) =>
    server.database.pool.query(`update private.profiles set ${change} where id = $1`, [theo])
  const seen = async () => [
    (await get(`/profile/${theo}`)).status,
    (await (await get('/sitemaps/taskers.xml')).text()).includes(theo),
  ]
  expect(await (await get(`/profile/${theo}`)).text()).toContain('<title>Theo · Meadowlark</title>')
  expect(await seen()).toEqual([200, true])
  await set(`visibility = 'hidden'`)
  expect(await seen()).toEqual([404, false])
  await set(`visibility = 'public', hidden_for = 'suspension'`)
  expect(await seen()).toEqual([404, false])
  await set('hidden_for = null')
  expect(await seen()).toEqual([200, true])
})

test('sitemaps name what is open, by both homes', async () => {
  const index = await get('/sitemaps/index.xml', { accept: '*/*' })
  expect(index.headers.get('content-type')).toMatch(/^application\/xml/)
  expect(index.headers.get('cache-control')).toBe('public, max-age=3600')
  expect(await index.text()).toContain(`<loc>${SITE}/sitemaps/tasks.xml</loc>`)
  for (const answer of [await get('/sitemaps/tasks.xml'), await beside('/sitemaps/tasks.xml')]) {
    const tasks = (await answer?.text()) ?? ''
    expect(tasks).toMatch(new RegExp(`<loc>${SITE}/task/${open}</loc><lastmod>\\d{4}-\\d\\d-\\d\\dT`))
    expect(tasks).not.toContain(closed)
  }
  for (const name of ['people.xml', 'tasks-1.xml', 'tasks.txt'])
    expect((await get(`/sitemaps/${name}`)).status).toBe(404)
})

test('the app comes without the function as well, and search engines are asked to come again', async () => {
  const answer = await fetch(`${gone.url}/task/${open}`, { headers: { accept: 'text/html' } })
  expect([answer.status, await answer.text()]).toEqual([503, APP])
  expect((await fetch(`${gone.url}/sitemaps/index.xml`)).status).toBe(503)
  expect((await get(`/task/${open}`, { accept: 'application/json' })).status).toBe(404)
  expect(await beside('/faq')).toBeNull()
})
