// Serves the built web app out of memory: files with a hash in their name for ever, the rest revalidated, each in
// the encoding that the build prepared; any other address of a page gets the app, which routes it itself.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { getMimeType } from 'hono/utils/mime'
import { type Answer, empty, noRoute } from './answer.ts'
import type { RequestContext } from './request-context.ts'
import type { Route } from './route.ts'

interface File {
  /** By content coding; 'identity' is always there. */
  bodies: Map<string, Buffer>
  etag: string
  type: string
  cacheControl: string
}

export interface WebApp {
  /** The app's page, with the scripts that stand in it. */
  indexHtml: string
  /** Any address: a file, the app's page, or 404. */
  route: Route
}

const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** Reads the build in `directory`; null when there is none. */
export function readWebApp(directory: string): WebApp | null {
  if (!existsSync(join(directory, 'index.html'))) return null
  const files = readFiles(directory)
  const index = files.get('/index.html') as File
  const handler = (request: RequestContext): Answer => {
    const path = decodePath(request.path)
    const file = files.get(path) ?? (isPage(path, request.headers.accept) ? index : undefined)
    return file ? respond(file, request) : noRoute()
  }
  return {
    indexHtml: (index.bodies.get('identity') as Buffer).toString(),
    route: { method: 'GET', path: '/*', access: 'public', handler },
  }
}

function readFiles(directory: string): Map<string, File> {
  const paths = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const files = new Map<string, File>()
  for (const path of paths.filter((name) => !/\.(br|gz)$/.test(name))) {
    const body = readFileSync(path)
    const bodies = new Map([['identity', body]])
    for (const [encoding, suffix] of ENCODINGS) {
      if (existsSync(path + suffix)) bodies.set(encoding, readFileSync(path + suffix))
    }
    const url = `/${relative(directory, path).split(sep).join('/')}`
    files.set(url, {
      bodies,
      etag: createHash('sha256').update(body).digest('base64url').slice(0, 22),
      type: getMimeType(path) ?? 'application/octet-stream',
      // Vite puts a hash of the content into the names below /assets.
      cacheControl: url.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    })
  }
  return files
}

function respond(file: File, request: RequestContext): Answer {
  const accepted = request.headers['accept-encoding'] ?? ''
  const encoding = ENCODINGS.map(([name]) => name).find(
    (name) =>
      file.bodies.has(name) && new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(\\.0*)?(,|$))`).test(accepted),
  )
  const etag = `W/"${file.etag}"`
  const headers: Record<string, string> = {
    etag,
    'cache-control': file.cacheControl,
    'content-type': file.type,
    ...(file.bodies.size > 1 ? { vary: 'accept-encoding' } : {}),
  }
  if (request.headers['if-none-match']?.includes(etag)) return empty(304, headers)
  if (encoding) headers['content-encoding'] = encoding
  const body = file.bodies.get(encoding ?? 'identity') as Buffer
  headers['content-length'] = String(body.byteLength)
  return { status: 200, headers, body }
}

/** Addresses of pages have no file extension, and a browser asks for HTML there. */
function isPage(path: string, accept = ''): boolean {
  return /(text\/html|\*\/\*)/.test(accept) && !/\.[a-z0-9]{1,8}$/i.test(path)
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
