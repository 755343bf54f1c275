// Pages without JavaScript from static files next to hosted Supabase, with only the output of npm run static: by this
// machine's nginx, and by Netlify's edge function under Deno.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { StaticSite } from '@meadowlark/server/http/file-addresses.ts'
import { fillHead, type PageHead } from '@meadowlark/server/http/page-head.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeStaticSite } from '../../../deploy/static-site.ts'
import { freePort } from '../../../packages/server/tests/support/free-port.ts'
import { loadConfig } from '../../../plugins/index.ts'
import { writeHostCode } from '../../../scripts/host-code.mjs'
import { hasNginx, startNginx } from '../../support/nginx.ts'
import { makeAccount } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const APP =
  '<!doctype html><html lang="en" dir="ltr"><head><title>Meadowlark</title></head><body><noscript>No</noscript></body></html>'
const TITLE = '"Snow" </script><b>$& ثلج'

const directory = mkdtempSync(join(tmpdir(), 'meadowlark-static-heads-'))
let server: TestServer
let origin: string
let port: number
let open: string

const write = (host: 'nginx' | 'netlify'): StaticSite => {
  const from = join(directory, 'web')
  mkdirSync(from, { recursive: true })
  for (const name of ['index.html', 'app.html']) writeFileSync(join(from, name), APP)
  return writeStaticSite({
    config: loadConfig({ workdir: '.', production: false, env: {} }),
    host,
    origin,
    api: server.url,
    from,
    to: join(directory, host),
    key: 'sb_publishable_x',
  })
}
/** As our own server fills it in. */
async function expected(path: string): Promise<string> {
  const answer = await fetch(`${server.url}/functions/v1/page-head?${new URLSearchParams({ path })}`)
  return fillHead(APP, (await answer.json()) as PageHead)
}

beforeAll(async () => {
  port = await freePort()
  origin = `http://127.0.0.1:${port}`
  server = await startTestServer({ env: { SITE_URL: origin } })
  const { rows } = await server.database.pool.query(
    `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount)
     values ($1, $2, 'Two cars wide, and the walk to the door.', 'Snow Removal', 'Saskatoon', 80) returning id`,
    [await makeAccount(server, 'grace'), TITLE],
  )
  open = rows[0].id
})
afterAll(async () => {
  await server?.stop()
  rmSync(directory, { recursive: true })
})

describe.skipIf(!hasNginx)('nginx', () => {
  let site: StaticSite
  let stop: () => Promise<unknown>
  beforeAll(async () => {
    site = write('nginx')
    const functions = new URL(server.url).host
    ;({ stop } = await startNginx({ directory, site: join(directory, 'nginx.conf'), port, functions }))
  })
  afterAll(() => stop?.())

  test('a task is read as our own server shows it, with the headers of a page', async () => {
    for (const path of [`/fr/task/${open}`, `/task/${open}`]) {
      const answer = await fetch(origin + path)
      expect(answer.status).toBe(200)
      const page = await answer.text()
      expect(page).toBe(await expected(path))
      expect(page).toContain('property="og:title"')
      expect(page).toContain('application/ld+json')
      const headers = { ...site.always, ...site.pages, 'cache-control': 'no-cache' }
      for (const [name, value] of Object.entries(headers)) expect(answer.headers.get(name), name).toBe(value)
      expect(answer.headers.get('content-type')).toBe('text/html; charset=UTF-8')
    }
  })

  test('a page without content for strangers answers 404, and other pages stay files', async () => {
    const nobody = await fetch(`${origin}/task/no-id`)
    expect([nobody.status, await nobody.text()]).toEqual([404, await expected('/task/no-id')])
    for (const path of ['/task/a%0d%0aX:1', '/task/a&path=b', '/task/a/edit']) {
      const answer = await fetch(origin + path)
      expect([answer.status, await answer.text()], path).toEqual([200, APP])
    }
  })

  test('sitemaps come from the function', async () => {
    const answer = await fetch(`${origin}/sitemaps/tasks.xml`)
    expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([
      200,
      'application/xml',
    ])
    expect(await answer.text()).toContain(`<loc>${origin}/task/${open}</loc>`)
  })

  test('the app comes while no function answers, and search engines are asked to come again', async () => {
    const other = join(directory, 'away')
    mkdirSync(other)
    const away = await startNginx({
      directory: other,
      site: join(directory, 'nginx.conf'),
      port: await freePort(),
    })
    const answer = await fetch(`${away.url}/task/${open}`)
    const type = answer.headers.get('content-type')
    expect([answer.status, type?.split(';')[0], await answer.text()]).toEqual([503, 'text/html', APP])
    expect(answer.headers.get('content-security-policy')).toBe(site.pages['content-security-policy'])
    await away.stop()
  })
})

test('Netlify’s edge function answers the same under Deno, and leaves other addresses to the files', async () => {
  const site = write('netlify')
  const code = join(directory, 'netlify/edge-functions/page-heads.js')
  await writeHostCode({ host: 'netlify', to: code, site, app: join(directory, 'netlify/app.html') })
  expect(readFileSync(join(directory, 'netlify.toml'), 'utf8')).toBe('[build]\n  publish = "netlify"\n')
  const paths = [`/fr/task/${open}`, '/task/no-id', '/sitemaps/tasks.xml', '/fr/task/a/b']
  const driver = join(directory, 'driver.js')
  writeFileSync(
    driver,
    `import handler, { config } from ${JSON.stringify(code)}
const answers = []
for (const path of ${JSON.stringify(paths)}) {
  const url = ${JSON.stringify(origin)} + path
  const answer = await handler(new Request(url))
  const runs = config.path.some((pathname) => new URLPattern({ pathname }).test(url))
  answers.push({ runs, answer: answer ? [answer.status, Object.fromEntries(answer.headers), await answer.text()] : null })
}
console.log(JSON.stringify(answers))`,
  )
  const deno = spawn(resolve('node_modules/.bin/deno'), [
    'run',
    '--no-config',
    '--allow-net=localhost,127.0.0.1',
    driver,
  ])
  const [out, errors] = await Promise.all([text(deno.stdout), text(deno.stderr)])
  expect(errors).toBe('')
  type Answered = { runs: boolean; answer: [number, Record<string, string>, string] | null }
  const [task, nobody, sitemap, other] = JSON.parse(out) as [Answered, Answered, Answered, Answered]
  expect([task.runs, nobody.runs, sitemap.runs]).toEqual([true, true, true])
  expect([task.answer?.[0], task.answer?.[2]]).toEqual([200, await expected(`/fr/task/${open}`)])
  expect(task.answer?.[1]).toMatchObject({ ...site.always, ...site.pages, 'cache-control': 'no-cache' })
  expect([nobody.answer?.[0], nobody.answer?.[2]]).toEqual([404, await expected('/task/no-id')])
  expect([sitemap.answer?.[0], sitemap.answer?.[2]]).toEqual([200, expect.stringContaining(open)])
  expect(other.answer).toBeNull()
})
