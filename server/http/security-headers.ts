// The headers that keep a browser from being turned against its user: content security policy and the like.
// https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/CSP
import { createHash } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'

export interface SecurityOptions {
  /** Whether Stripe's own scripts, frames and API may be reached. */
  stripe: boolean
  /** Origins besides the page's own that it talks to. */
  apiOrigins: string[]
  /** The app's page: scripts that stand in it are allowed by their hash. */
  indexHtml: string
  /** Whether browsers reach the server by https. */
  https: boolean
}

/** The headers that every answer has, whatever it is. */
export function everywhere({ https }: Pick<SecurityOptions, 'https'>): [string, string][] {
  return [
    ['x-content-type-options', 'nosniff'],
    ['referrer-policy', 'strict-origin-when-cross-origin'],
    ['cross-origin-opener-policy', 'same-origin-allow-popups'],
    ['permissions-policy', 'camera=(), microphone=(), geolocation=(self), browsing-topics=()'],
    ...(https ? [['strict-transport-security', 'max-age=31536000'] satisfies [string, string]] : []),
  ]
}

/** Sets the headers on every answer; a content security policy that an answer brings itself is kept. */
export function securityHeaders(options: SecurityOptions): MiddlewareHandler {
  const policy = contentSecurityPolicy(options)
  const always = everywhere(options)
  return async (c, next) => {
    await next()
    const { headers } = c.res
    for (const [name, value] of always) headers.set(name, value)
    if (headers.get('content-type')?.startsWith('text/html') && !headers.has('content-security-policy')) {
      headers.set('content-security-policy', policy)
      headers.set('x-frame-options', 'DENY')
    }
  }
}

const STRIPE_FRAMES = ['https://*.js.stripe.com', 'https://js.stripe.com', 'https://hooks.stripe.com']

function contentSecurityPolicy({ stripe, apiOrigins, indexHtml }: SecurityOptions): string {
  const sockets = apiOrigins.map((origin) => origin.replace(/^http/, 'ws'))
  const directives: Record<string, string[]> = {
    'default-src': [`'self'`],
    'script-src': [
      `'self'`,
      ...inlineScriptHashes(indexHtml),
      ...(stripe ? ['https://*.js.stripe.com', 'https://js.stripe.com'] : []),
    ],
    // Toasts and dialogs set style attributes and sheets from script.
    'style-src': [`'self'`, `'unsafe-inline'`],
    'img-src': [`'self'`, 'data:', 'blob:', ...apiOrigins, ...(stripe ? ['https://*.stripe.com'] : [])],
    'font-src': [`'self'`],
    'connect-src': [`'self'`, ...apiOrigins, ...sockets, ...(stripe ? ['https://api.stripe.com'] : [])],
    'frame-src': [`'self'`, ...(stripe ? STRIPE_FRAMES : [])],
    'object-src': [`'none'`],
    'base-uri': [`'self'`],
    'form-action': [`'self'`],
    'frame-ancestors': [`'none'`],
  }
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ')
}

function inlineScriptHashes(html: string): string[] {
  return [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  )
}
