// The app's page with its head filled in, for a host of static files that runs no code: nginx asks with `&page=whole`
// (deploy/static-host.ts). Other hosts fill the head into app.html by themselves
// (packages/server/src/http/page-head.ts).
import { HttpError } from '../_shared/respond.ts'
import type { PageHead } from './head.ts'

/** The page of the app at `site`, an origin. Text, since hosted Supabase sends HTML of functions as that; its host calls it HTML. */
export async function wholePage(site: string, { status, ...head }: PageHead): Promise<Response> {
  const app = await fetch(`${site}/app.html`, { signal: AbortSignal.timeout(3000) })
  if (!app.ok) throw new HttpError(503, `${site}/app.html answers ${app.status}`)
  const headers = { 'content-type': 'text/plain; charset=UTF-8', 'cache-control': 'no-cache' }
  return new Response(filled(await app.text(), head), { status, headers })
}

function filled(html: string, { language, direction, head, body }: Omit<PageHead, 'status'>): string {
  const described = head.includes('name="description"')
  return html
    .replace(
      /(<html [^>]*?)lang="[^"]*" dir="[^"]*"/,
      (_, before) => `${before}lang="${language}" dir="${direction}"`,
    )
    .replace(/<title>.*?<\/title>/s, '')
    .replace(/<meta\s+name="description"[^>]*>/, (whole) => (described ? '' : whole))
    .replace('</head>', () => `${head}\n</head>`)
    .replace('<noscript>', () => `<noscript>${body}`)
}
