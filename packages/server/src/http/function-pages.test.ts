// A page whose head a function makes, while the function is slow: the first answer is waited for, later ones are not.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { functionRoutes } from './function-pages.ts'
import type { RequestContext } from './request-context.ts'

const HEAD = { status: 200, language: 'en', direction: 'ltr', head: '<title>Snow</title>', body: '' }

test('the first page waits until its function is loaded; later ones come without a head after the limit', async () => {
  const waiting: ServerResponse[] = []
  const host = createServer((_, response) => void waiting.push(response))
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    host.closeAllConnections()
    host.close()
  })
  const [page] = functionRoutes({
    web: { appHtml: '<html lang="en" dir="ltr"><head></head><noscript></noscript></html>' },
    plugins: [{ pagesByFunction: { '/task/*': 'page-head' } }],
    origin: () => `http://127.0.0.1:${(host.address() as AddressInfo).port}`,
    pageTimeoutMs: 1,
  })
  const request = { path: '/task/1', headers: { accept: 'text/html' } } as unknown as RequestContext
  const ask = async () => (await page?.handler(request)) as { status: number }

  const first = ask()
  await vi.waitFor(() => expect(waiting).toHaveLength(1))
  // Many times the limit.
  await new Promise((resolve) => setTimeout(resolve, 50))
  waiting[0]?.end(JSON.stringify(HEAD))
  expect((await first).status).toBe(200)
  expect((await ask()).status).toBe(503)
})
