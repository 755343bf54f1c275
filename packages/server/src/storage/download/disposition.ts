// How a browser may show what people uploaded: nothing that could run script is ever a page of this origin.
import contentDisposition from 'content-disposition'

/** Types that browsers show or play and never run. Whatever is not among them is saved instead of opened. */
const INLINE_TYPES =
  /^(?:image\/(?!svg)[\w.+-]+|audio\/[\w.+-]+|video\/[\w.+-]+|font\/[\w.+-]+|text\/(?:plain|csv|markdown|calendar)|application\/(?:pdf|json|ld\+json|geo\+json|octet-stream))$/

/** Would run in the app's own origin as a page, a script or a service worker; none of them is needed as such. */
const SCRIPT_TYPES =
  /^(?:text\/html|application\/xhtml\+xml|(?:text|application)\/(?:x-)?(?:java|ecma|live|j)script(?:1\.\d)?)$/

/** Opened on its own, a document may fetch, run and frame nothing. The browser's reader of PDF needs more than that. */
const SANDBOX_CSP =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; sandbox"

/**
 * The headers for content of a type. `download` is the query parameter of that name: undefined to show it where that
 * is safe, '' to save it under its own `name`, anything else to save it under that.
 */
export function dispositionHeaders(
  declared: string,
  name: string,
  download: string | undefined,
): Record<string, string> {
  const type = essence(declared)
  const saved = download !== undefined || !INLINE_TYPES.test(type)
  return {
    'content-type': safeContentType(declared),
    'x-content-type-options': 'nosniff',
    ...(type !== 'application/pdf' && { 'content-security-policy': SANDBOX_CSP }),
    ...(saved && {
      'content-disposition': attachment(download || baseName(name)),
    }),
  }
}

const TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+*-]+$/

/**
 * The type in a form that is valid in a header. Behind a comma browsers see a second Content-Type and follow that
 * one, so that `application/pdf;,text/html` would be a page: of such a type only the part before the parameters is
 * sent.
 */
function safeContentType(declared: string): string {
  const type = essence(declared)
  if (!TYPE.test(type)) return 'application/octet-stream'
  if (SCRIPT_TYPES.test(type)) return 'text/plain; charset=utf-8'
  return isHeaderText(declared) && !declared.includes(',') ? declared : type
}

/** Whether a header can carry it. */
export function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7e]{0,1000}$/.test(text)
}

/** Beyond ASCII a name goes as UTF-8: what else a header may hold, browsers read in different ways. */
function attachment(filename: string): string {
  const fallback = filename.replace(/[^\x20-\x7e]/g, '?')
  return contentDisposition(filename, { type: 'attachment', fallback })
}

/** A type without its parameters, in lower case. */
export function essence(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase()
}

function baseName(name: string): string {
  return name.split('/').findLast((part) => part !== '') ?? 'download'
}
