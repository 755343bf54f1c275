// Everything behind the one origin: configuration, health, metrics, the services behind the gateway, the web app.
import { Hono, type MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type pino from 'pino'
import type { Config } from './config.ts'
import { type Door, gateway } from './gateway.ts'
import { healthRoutes } from './health.ts'
import type { Metrics } from './http/metrics.ts'
import { securityHeaders } from './http/security-headers.ts'
import type { WebApp } from './http/web-app.ts'
import type { Keys } from './keys.ts'
import type { Database } from './sql/database.ts'
import { DATABASE_UNAVAILABLE, isUnavailable } from './sql/errors.ts'

export interface AppParts {
  config: Config
  keys: Keys
  door: Door
  database: Database
  metrics: Metrics
  log: pino.Logger
  /** Null while only the API is served, as in development. */
  web: WebApp | null
  /** Services behind the API key, by name: mounted at /<name>/v1. */
  guarded: Record<string, { app: Hono; open?: (path: string) => boolean }>
  /** Names of the services that are answered without the router (see http/direct.ts). */
  direct: string[]
  /** Services that let callers in by themselves, by the path they are mounted at. */
  unguarded: Record<string, Hono>
}

/** Puts the parts together. */
export function createApp(parts: AppParts): Hono {
  const { config, keys, door, web, metrics, log } = parts
  const app = new Hono()
  app.use(metrics.measure)
  app.use(
    securityHeaders({
      stripe: config.stripe !== null,
      apiOrigins: config.originIsFixed ? [new URL(config.publicUrl).origin] : [],
      indexHtml: web?.indexHtml ?? '',
      https: config.publicUrl.startsWith('https:'),
    }),
  )
  app.get('/config.json', (c) => {
    c.header('cache-control', 'no-cache')
    return c.json({
      // Reached under another name or port, the app still talks to the server it came from.
      supabaseUrl: config.originIsFixed ? config.publicUrl : new URL(c.req.url).origin,
      supabaseKey: keys.publishable,
      sandbox: config.sandbox.stripe,
    })
  })
  app.route('/', healthRoutes(parts.database))
  metrics.mount(app, config.metricsToken)

  // What is answered directly leaves only its preflights to be answered here.
  for (const name of parts.direct) app.use(`/${name}/v1/*`, crossOrigin)
  for (const [name, service] of Object.entries(parts.guarded)) {
    const path = `/${name}/v1`
    app.use(`${path}/*`, crossOrigin, gateway({ door, open: service.open }))
    app.route(path, service.app)
  }
  for (const [path, service] of Object.entries(parts.unguarded)) app.route(path, service)

  for (const prefix of API_PREFIXES) app.all(`${prefix}/*`, (c) => c.json({ message: NO_ROUTE }, 404))
  if (web) app.get('*', web.serve)
  app.notFound((c) => c.json({ message: NO_ROUTE }, 404))
  app.onError((error, c) => {
    if (isUnavailable(error)) {
      c.header('retry-after', '1')
      return c.json({ message: DATABASE_UNAVAILABLE }, 503)
    }
    log.error({ err: error, method: c.req.method, path: c.req.path }, 'a request failed')
    return c.json({ message: 'An unexpected failure occurred' }, 500)
  })
  return app
}

/** Addresses below these are never pages of the web app. /auth and /functions themselves could be. */
const API_PREFIXES = ['/auth/v1', '/rest', '/storage', '/functions', '/realtime', '/graphql', '/sandbox']

/** As Supabase's gateway answers an address it does not know. */
const NO_ROUTE = 'no Route matched with those values'

const EXPOSED_HEADERS = [
  ...['Content-Encoding', 'Content-Location', 'Content-Range', 'Content-Type', 'Date', 'Location'],
  ...['Range-Unit', 'Retry-After', 'X-Total-Count', 'Link', 'X-Supabase-Api-Version', 'Preference-Applied'],
]

const preflight = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'PUT', 'PATCH', 'POST', 'DELETE', 'OPTIONS'],
  exposeHeaders: EXPOSED_HEADERS,
  maxAge: 3600,
})

/** What lets pages of other origins read an answer. */
export const CROSS_ORIGIN: [string, string][] = [
  ['access-control-allow-origin', '*'],
  ['access-control-expose-headers', EXPOSED_HEADERS.join(',')],
]

/** Browsers' preflights end here; any other OPTIONS is the service's own to answer. */
const crossOrigin: MiddlewareHandler = async (c, next) => {
  if (c.req.method === 'OPTIONS' && c.req.header('access-control-request-method')) return preflight(c, next)
  await next()
  // Set on the finished answer: headers set before it would have it built twice, which costs more than the answer.
  // A service whose answers carry headers of its own names those itself.
  for (const [name, value] of CROSS_ORIGIN) if (!c.res.headers.has(name)) c.res.headers.set(name, value)
}
