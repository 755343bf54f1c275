// The web app on Cloudflare Pages, with hosted Supabase: npm run static writes this as `_worker.js` next to the
// files, with the data of the site. Pages of tasks and people get their head, other addresses their file or the app.
import {
  cacheControl,
  isPagePath,
  knownAddresses,
  type StaticSite,
} from '@meadowlark/server/http/file-addresses.ts'
import { answerByFunction } from './page-heads.ts'

declare const SITE: StaticSite

/** https://developers.cloudflare.com/pages/functions/api-reference/#envassetsfetch */
export interface Assets {
  fetch: (request: Request | URL) => Promise<Response>
}

export default {
  fetch: (request: Request, { ASSETS }: { ASSETS: Assets }) => answer(request, ASSETS, SITE),
}

/** The answer to a request, with the headers that our own server sends. */
export async function answer(request: Request, assets: Assets, site: StaticSite): Promise<Response> {
  const { pathname: path } = new URL(request.url)
  // Pages finds a page without `.html`, and sends who asks for it with that elsewhere.
  const file = (name: string) => assets.fetch(new URL(name.replace(/\.html$/, ''), request.url))
  const page = await answerByFunction(request, { functions: site.functions, file })
  if (page) return withHeaders(page, path, site)
  const asset = await assets.fetch(request)
  if (asset.status !== 404 || !isPagePath(path)) return withHeaders(asset, path, site)
  // Pages has answered with 404.html already.
  if (!knownAddresses(site.addresses)(path)) return withHeaders(asset, path, site)
  await asset.body?.cancel()
  return withHeaders(await file('/app.html'), path, site)
}

function withHeaders(response: Response, path: string, { always, pages }: StaticSite): Response {
  const headers = new Headers(response.headers)
  if (response.ok && !path.startsWith('/sitemaps/')) headers.set('cache-control', cacheControl(path))
  const isPage = headers.get('content-type')?.startsWith('text/html')
  for (const [name, value] of Object.entries({ ...always, ...(isPage ? pages : {}) }))
    headers.set(name, value)
  return new Response(response.body, { status: response.status, headers })
}
