// The web app on Netlify, with hosted Supabase: npm run static writes this as an edge function next to the files,
// with the app's page and the data of the site. Pages of tasks and people get their head; other addresses never come
// here.
import { cacheControl, type StaticSite } from '@meadowlark/server/http/file-addresses.ts'
import { answerByFunction } from './page-heads.ts'

declare const SITE: StaticSite
/** Of app.html: an edge function is not to ask its own site for files. */
declare const APP: string

/** https://docs.netlify.com/build/edge-functions/declarations/ */
export const config = {
  path: ['/task/*', '/profile/*', '/:language/task/*', '/:language/profile/*', '/sitemaps/*'],
}

export default (request: Request) => answer(request, APP, SITE)

/** The answer to a request, with the headers that our own server sends; nothing where the address is the files' own. */
export async function answer(
  request: Request,
  app: string,
  { functions, always, pages }: StaticSite,
): Promise<Response | undefined> {
  const file = async () => new Response(app, { headers: { 'content-type': 'text/html; charset=UTF-8' } })
  const page = await answerByFunction(request, { functions, file })
  if (!page) return undefined
  const { pathname } = new URL(request.url)
  const isPage = page.headers.get('content-type')?.startsWith('text/html')
  const headers = new Headers(page.headers)
  if (isPage) headers.set('cache-control', cacheControl(pathname))
  for (const [name, value] of Object.entries({ ...always, ...(isPage ? pages : {}) }))
    headers.set(name, value)
  return new Response(page.body, { status: page.status, headers })
}
