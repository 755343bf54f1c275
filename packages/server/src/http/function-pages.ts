// Pages of the web app whose head a function of the project fills in, and files that one makes (Plugin). The function is
// asked as anybody may ask it, GET /functions/v1/<name>?path=<path>, so that a static host can do the same.
import { createHash } from 'node:crypto'
import type { Plugin } from '../plugin.ts'
import { type Answer, empty, fromResponse, noRoute, text } from './answer.ts'
import { compressed } from './compress.ts'
import { fillHead, type PageHead } from './page-head.ts'
import type { RequestContext } from './request-context.ts'
import type { Route } from './route.ts'
import { takesPages, type WebApp } from './web-app.ts'

export interface FunctionPagesOptions {
  web: Pick<WebApp, 'appHtml'>
  plugins: readonly Pick<Plugin, 'pagesByFunction' | 'filesByFunction'>[]
  /** Where this machine reaches the server. */
  origin: () => string
  /** Milliseconds after which a page is answered without its head (3000), once its function has answered. */
  pageTimeoutMs?: number
}

/** Milliseconds after which somebody gets the page without it. */
const PAGE_TIMEOUT_MS = 3000
/** The same until the function has answered once: it may have to be compiled first. */
const FIRST_PAGE_TIMEOUT_MS = 30_000
const FILE_TIMEOUT_MS = 30_000

/** The routes of all of them. */
export function functionRoutes({
  web,
  plugins,
  origin,
  pageTimeoutMs = PAGE_TIMEOUT_MS,
}: FunctionPagesOptions): Route[] {
  /** Names of the functions that have answered, with whatever status. */
  const answered = new Set<string>()

  const ask = (name: string, path: string, timeout: number) =>
    fetch(`${origin()}/functions/v1/${name}?${new URLSearchParams({ path })}`, {
      signal: AbortSignal.timeout(timeout),
    })

  async function page(name: string, request: RequestContext): Promise<Answer> {
    if (!takesPages(request.headers.accept)) return noRoute()
    const timeoutMs = answered.has(name) ? pageTimeoutMs : FIRST_PAGE_TIMEOUT_MS
    const head = await ask(name, request.path, timeoutMs).then(
      (answer) => {
        answered.add(name)
        return headOf(answer)
      },
      () => 'away' as const,
    )
    // The app comes all the same. Search engines shall come again, and not keep the page as it is now.
    if (head === 'away') return html(web.appHtml, 503, request)
    return head ? html(fillHead(web.appHtml, head), head.status, request) : html(web.appHtml, 200, request)
  }

  async function file(name: string, request: RequestContext): Promise<Answer> {
    const answer = await ask(name, request.path, FILE_TIMEOUT_MS).catch(() => null)
    if (!answer) return text('Try again in a moment', 503, { 'retry-after': '60' })
    if (!answer.ok) return fromResponse(answer)
    const headers = {
      'content-type': answer.headers.get('content-type') ?? 'application/octet-stream',
      'cache-control': answer.headers.get('cache-control') ?? 'no-cache',
    }
    return validated(await answer.text(), 200, headers, request)
  }

  const routes = (
    named: (plugin: FunctionPagesOptions['plugins'][number]) => Readonly<Record<string, string>> | undefined,
    answer: (name: string, request: RequestContext) => Promise<Answer>,
  ) =>
    plugins
      .flatMap((plugin) => Object.entries(named(plugin) ?? {}))
      .map(
        ([path, name]): Route => ({
          method: 'GET',
          path,
          access: 'public',
          handler: (request) => answer(name, request),
        }),
      )
  return [
    ...routes(({ pagesByFunction }) => pagesByFunction, page),
    ...routes(({ filesByFunction }) => filesByFunction, file),
  ]
}

/** Null where the project has no such function. */
async function headOf(answer: Response): Promise<PageHead | 'away' | null> {
  if (answer.ok) return (await answer.json()) as PageHead
  await answer.body?.cancel()
  return answer.status >= 500 ? 'away' : null
}

const html = (body: string, status: number, request: RequestContext) =>
  validated(
    body,
    status,
    { 'content-type': 'text/html; charset=UTF-8', 'cache-control': 'no-cache' },
    request,
  )

/** Compressed, and not sent again to clients that have it already. */
function validated(body: string, status: number, headers: Record<string, string>, request: RequestContext) {
  const etag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  if (status === 200 && request.headers['if-none-match']?.includes(etag))
    return empty(304, { ...headers, etag, vary: 'accept-encoding' })
  return compressed({ status, headers: { ...headers, etag }, body }, request.headers['accept-encoding'])
}
