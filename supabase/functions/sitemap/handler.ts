// Sitemaps of the pages that come and go (https://www.sitemaps.org/protocol.html): /sitemaps/index.xml names the
// parts, tasks.xml and taskers.xml hold the first of each, tasks-<id>.xml what comes after that one. The permanent
// pages are in the build's sitemap.xml.

import { HttpError, respond } from '../_shared/respond.ts'
import { callAsService, type Environment, required } from '../_shared/supabase.ts'
import { type Parts, sitemapIndex, urlSet } from './xml.ts'

const PART = /^(tasks|taskers)(?:-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?\.xml$/
/** Search engines come a few times a day; caches in between may keep an answer that many seconds. */
const MAX_AGE_S = 3600
/** The parts are counted over all pages: at most once in that many milliseconds. */
const COUNTED_FOR_MS = 600_000

let counted: { at: number; parts: Promise<Parts> } | undefined

export default async function handler(request: Request, env: Environment): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return respond(405, { error: 'Use GET' })
  const { pathname, searchParams } = new URL(request.url)
  const name = (searchParams.get('path') ?? pathname).split('/').at(-1) ?? ''
  try {
    const xml = await sitemap(name, env)
    if (xml === null) return respond(404, { error: 'There is no such sitemap' })
    return new Response(xml, {
      headers: { 'content-type': 'application/xml', 'cache-control': `public, max-age=${MAX_AGE_S}` },
    })
  } catch (error) {
    if (!(error instanceof HttpError)) console.error('The sitemap cannot be made', error)
    return respond(503, { error: 'The sitemap cannot be made just now' }, { 'retry-after': '60' })
  }
}

/** Null for a name that is not a sitemap's. */
async function sitemap(name: string, env: Environment): Promise<string | null> {
  const site = new URL(required(env, 'SITE_URL')).origin
  if (name === 'index.xml') return sitemapIndex(await partsOf(env), site)
  const [, kind, after] = PART.exec(name) ?? []
  const from = after ? { after_id: after } : {}
  if (kind === 'tasks') {
    const tasks = await callAsService<{ id: string; updated_at: string }[]>(env, 'sitemap_tasks', from)
    return urlSet(tasks.map(({ id, updated_at }) => ({ address: `${site}/task/${id}`, changed: updated_at })))
  }
  if (kind === 'taskers') {
    const taskers = await callAsService<string[]>(env, 'sitemap_taskers', from)
    return urlSet(taskers.map((id) => ({ address: `${site}/profile/${id}` })))
  }
  return null
}

function partsOf(env: Environment): Promise<Parts> {
  const now = Date.now()
  if (counted && now - counted.at < COUNTED_FOR_MS) return counted.parts
  const parts = callAsService<Parts>(env, 'sitemap_parts', {})
  const mine = { at: now, parts }
  counted = mine
  // The next request retries a failed part.
  parts.catch(() => {
    if (counted === mine) counted = undefined
  })
  return parts
}
