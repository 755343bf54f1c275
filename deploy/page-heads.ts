// With hosted Supabase, this replaces packages/server/src/http/function-pages.ts of our server. It is for any
// host that runs code in front of static files (Cloudflare Pages, Netlify, Vercel, a Deno or Node process).
// docs/operations/hosted-supabase.md shows how it is put there.
import { fillHead, type PageHead } from '@meadowlark/server/http/page-head.ts'

export interface StaticHost {
  /** `https://<ref>.supabase.co/functions/v1`. */
  functions: string
  /** Reads a file of the build: `/app.html`. */
  file: (path: string) => Promise<Response>
}

const PAGE = /^(\/[a-z]{2})?\/(task|profile)\/[^/]+\/?$/
const SITEMAP = /^\/sitemaps\/[^/]+\.xml$/

/** The answer to a request for a task, a person or a sitemap; null for every other one, which is the host's own. */
export async function answerByFunction(
  request: Request,
  { functions, file }: StaticHost,
): Promise<Response | null> {
  const { pathname: path } = new URL(request.url)
  const ask = (name: string) => fetch(`${functions}/${name}?${new URLSearchParams({ path })}`)
  if (SITEMAP.test(path)) return ask('sitemap')
  if (!PAGE.test(path)) return null
  const [app, answer] = await Promise.all([file('/app.html'), ask('page-head').catch(() => null)])
  const headers = new Headers(app.headers)
  // They are of the file as it was.
  for (const name of ['etag', 'last-modified', 'content-length', 'content-encoding']) headers.delete(name)
  if (!answer?.ok) return new Response(app.body, { status: 503, headers })
  const head = (await answer.json()) as PageHead
  return new Response(fillHead(await app.text(), head), { status: head.status, headers })
}
