// Serves the built web app: files with a hash in their name for ever, the rest revalidated, each in the encoding that
// the build prepared. A file is read when it is first asked for, and kept; in production all are read at the start, so that
// a new build may replace them under the running server. A page that was rendered at build is served at its address without
// `.html`. Any other address of a screen gets the app, which routes it itself, and so does an unknown one, with status 404.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { getMimeType } from 'hono/utils/mime'
import { type Answer, empty, noRoute } from './answer.ts'
import { chooseEncoding } from './compress.ts'
import { type AppAddresses, cacheControl, isPagePath, knownAddresses } from './file-addresses.ts'
import type { RequestContext } from './request-context.ts'
import type { Route } from './route.ts'

interface File {
  path: string
  type: string
  cacheControl: string
  /** Content codings that the build prepared. */
  prepared: ReadonlySet<string>
  content: Content | null
  /** As the build made it, where a page was read before it is first asked for. */
  source: Buffer | null
}

interface Content {
  /** By content coding; 'identity' is always there. */
  bodies: Map<string, Buffer>
  etag: string
}

/** Data about the server that is known only at run time. */
export interface Place {
  /** Where browsers reach it: stands for `{{origin}}` in pages, the sitemap and robots.txt. */
  origin: string
  /** Flags of plugins, as `data-` attributes of every page. */
  flags: readonly string[]
}

export interface WebApp {
  /** The app's page, with its inline scripts. */
  indexHtml: string
  /** Any address: a file, the app's page, or 404. */
  route: Route
  /** The page of the app for any address, before its scripts begin. */
  appHtml: string
}

/** A page of 80 kB takes 5 ms at this quality, 100 ms at the highest, which saves a tenth. */
const PAGE_QUALITY = 6

const PREPARED = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** The build in `directory`; null when there is none. With `readAll`, no file of it is needed afterwards. */
export function readWebApp(directory: string, place: Place, { readAll = false } = {}): WebApp | null {
  if (!existsSync(join(directory, 'index.html'))) return null
  const files = findFiles(directory)
  if (readAll) for (const file of files.values()) readNow(file)
  const index = files.get('/index.html') as File
  const app = files.get('/app.html') ?? index
  const isKnown = knownAddresses(readAddresses(directory))
  const unknown = files.get('/404.html') ?? app
  const page = (path: string): File => {
    if (path === '/') return index
    return files.get(`${path.replace(/\/$/, '')}.html`) ?? (isKnown(path) ? app : unknown)
  }
  const handler = (request: RequestContext): Answer => {
    const path = decodePath(request.path)
    const file = files.get(path) ?? (isPage(path, request.headers.accept) ? page(path) : undefined)
    const content = file && contentOf(file, place)
    if (!content) return noRoute()
    // The app comes for people; search engines and monitors learn that there is no such page.
    return respond(file, content, request, file === unknown && !isKnown(path) ? 404 : 200)
  }
  // Files are compressed at the first request, not at the start, which waits for this.
  const html = (file: File) => String(fill(sourceOf(file), place))
  return {
    indexHtml: html(index),
    appHtml: html(app),
    route: { method: 'GET', path: '/*', access: 'public', handler },
  }
}

/** The addresses of the app's screens, as scripts/prerender.mjs lists them; null in a build without that list. */
export function readAddresses(directory: string): AppAddresses | null {
  const file = join(directory, 'addresses.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as AppAddresses) : null
}

function findFiles(directory: string): Map<string, File> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  const paths = new Set(
    entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)),
  )
  const files = new Map<string, File>()
  for (const path of paths) {
    if (/\.(br|gz)$/.test(path)) continue
    const url = `/${relative(directory, path).split(sep).join('/')}`
    const prepared = PREPARED.filter(([, suffix]) => paths.has(path + suffix))
    files.set(url, {
      path,
      type: getMimeType(path) ?? 'application/octet-stream',
      cacheControl: cacheControl(url),
      prepared: new Set(prepared.map(([encoding]) => encoding)),
      content: null,
      source: null,
    })
  }
  return files
}

/** The content of the file; null where a later build has taken it away. */
function contentOf(file: File, place: Place): Content | null {
  try {
    file.content ??= FILLED.test(file.path) ? filled(file, place) : asPrepared(file)
    return file.content
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function asPrepared({ path, prepared }: File): Content {
  const bodies = new Map([['identity', readFileSync(path)]])
  for (const [encoding, suffix] of PREPARED)
    if (prepared.has(encoding)) bodies.set(encoding, readFileSync(path + suffix))
  return { bodies, etag: etagOf(bodies) }
}

/** Pages are filled in, and compressed, when they are first asked for. */
function readNow(file: File): void {
  if (FILLED.test(file.path)) file.source = readFileSync(file.path)
  else file.content = asPrepared(file)
}

const sourceOf = ({ path, source }: File): string => (source ?? readFileSync(path)).toString('utf8')

/** Filled in here, so the build could not compress it. */
function filled(file: File, place: Place): Content {
  const body = fill(sourceOf(file), place)
  file.source = null
  const params = { [constants.BROTLI_PARAM_QUALITY]: PAGE_QUALITY }
  const bodies = new Map([
    ['identity', body],
    ['br', brotliCompressSync(body, { params })],
    ['gzip', gzipSync(body)],
  ])
  return { bodies, etag: etagOf(bodies) }
}

function etagOf(bodies: Content['bodies']): string {
  const body = bodies.get('identity') as Buffer
  return createHash('sha256').update(body).digest('base64url').slice(0, 22)
}

/** The files of a build that say where the app is, filled in, by their paths below `directory`. */
export function filledFiles(directory: string, place: Place): [path: string, body: Buffer][] {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  return paths
    .filter((path) => FILLED.test(`/${path}`))
    .map((path) => [path, fill(readFileSync(join(directory, path), 'utf8'), place)])
}

const FILLED = /\.html$|[\\/](sitemap\.xml|robots\.txt)$/

function fill(text: string, { origin, flags }: Place): Buffer {
  const attributes = flags.map((flag) => `data-${flag} `).join('')
  return Buffer.from(text.replaceAll('{{origin}}', origin).replace('<html ', `<html ${attributes}`))
}

function respond(
  file: File,
  { bodies, etag: hash }: Content,
  request: RequestContext,
  status: number,
): Answer {
  const encoding = chooseEncoding(request.headers['accept-encoding'], (name) => bodies.has(name))
  const etag = `W/"${hash}"`
  const headers: Record<string, string> = {
    etag,
    'cache-control': file.cacheControl,
    'content-type': file.type,
    ...(bodies.size > 1 ? { vary: 'accept-encoding' } : {}),
  }
  if (status === 200 && request.headers['if-none-match']?.includes(etag)) return empty(304, headers)
  if (encoding) headers['content-encoding'] = encoding
  const body = bodies.get(encoding ?? 'identity') as Buffer
  headers['content-length'] = String(body.byteLength)
  return { status, headers, body }
}

/** A browser asks for HTML there. */
function isPage(path: string, accept?: string): boolean {
  return takesPages(accept) && isPagePath(path)
}

/** Whether who sends this Accept header can be answered with HTML. */
export function takesPages(accept = ''): boolean {
  return /(text\/html|\*\/\*)/.test(accept)
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
