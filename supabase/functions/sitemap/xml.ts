// Sitemaps as XML. They contain only our addresses and times, so nothing needs escaping.

/** The last page of each part but the last: the next one begins after it. */
export type Parts = { tasks: string[]; taskers: string[] }

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
const SCHEMA = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** Names every part. */
export function sitemapIndex({ tasks, taskers }: Parts, site: string): string {
  const names = [
    'tasks.xml',
    ...tasks.map((id) => `tasks-${id}.xml`),
    'taskers.xml',
    ...taskers.map((id) => `taskers-${id}.xml`),
  ]
  const entries = names.map((name) => `<sitemap><loc>${site}/sitemaps/${name}</loc></sitemap>`)
  return `${HEAD}\n<sitemapindex xmlns="${SCHEMA}">\n${entries.join('\n')}\n</sitemapindex>\n`
}

/** Pages, and when each was last changed (ISO 8601) where that is known. */
export function urlSet(pages: { address: string; changed?: string }[]): string {
  const entries = pages.map(
    ({ address, changed }) =>
      `<url><loc>${address}</loc>${changed ? `<lastmod>${changed}</lastmod>` : ''}</url>`,
  )
  return `${HEAD}\n<urlset xmlns="${SCHEMA}">\n${entries.join('\n')}\n</urlset>\n`
}
