// The headers that keep a browser from being turned against its user: content security policy and the like.
// https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/CSP
import { createHash } from 'node:crypto'

/**
 * Sources that pages may use in addition to their own origin, by directive: `{'script-src':
 * ['https://js.example.com']}`.
 */
export type PolicySources = Partial<Record<string, readonly string[]>>

export interface PageOptions {
  sources: readonly PolicySources[]
  /** Origins that the page talks to, in addition to its own. */
  apiOrigins: string[]
  /** The app's page: inline scripts are allowed by their hash. */
  indexHtml: string
}

/** The headers that every answer has, whatever it is. `https` is whether browsers reach the server by it. */
export function securityHeaders(https: boolean): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(self), browsing-topics=()',
    ...(https ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}

/** The headers of a page that brings no content security policy itself. */
export function pageHeaders(options: PageOptions): Record<string, string> {
  return { 'content-security-policy': contentSecurityPolicy(options), 'x-frame-options': 'DENY' }
}

function contentSecurityPolicy({ sources, apiOrigins, indexHtml }: PageOptions): string {
  const sockets = apiOrigins.map((origin) => origin.replace(/^http/, 'ws'))
  const directives: Record<string, string[]> = {
    'default-src': [`'self'`],
    'script-src': [`'self'`, ...inlineScriptHashes(indexHtml)],
    // Toasts and dialogs set style attributes and sheets from script.
    'style-src': [`'self'`, `'unsafe-inline'`],
    'img-src': [`'self'`, 'data:', 'blob:', ...apiOrigins],
    'font-src': [`'self'`],
    'connect-src': [`'self'`, ...apiOrigins, ...sockets],
    'frame-src': [`'self'`],
    'object-src': [`'none'`],
    'base-uri': [`'self'`],
    'form-action': [`'self'`],
    'frame-ancestors': [`'none'`],
  }
  for (const [name, added = []] of sources.flatMap((more) => Object.entries(more)))
    directives[name] = [...(directives[name] ?? []), ...added]
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ')
}

function inlineScriptHashes(html: string): string[] {
  return [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  )
}
