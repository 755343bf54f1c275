// Answers of the origin other than services: the web app with its configuration, health and metrics.

import type { Config } from '../config/config.ts'
import type { Keys } from '../keys/keys.ts'
import { healthRoutes, type Phase } from '../observability/health.ts'
import type { Metrics } from '../observability/metrics/metrics.ts'
import type { Plugin } from '../plugin.ts'
import type { Database } from '../sql/database.ts'
import { json, noRoute } from './answer.ts'
import { captchaConfiguration } from './captcha-widget.ts'
import { functionRoutes } from './function-pages.ts'
import type { Route, Service } from './route.ts'
import type { WebApp } from './web-app.ts'

export interface SiteOptions {
  config: Config
  keys: Pick<Keys, 'publishable'>
  database: Pick<Database, 'pool'>
  metrics: Pick<Metrics, 'route'>
  plugins: readonly Plugin[]
  /** Null while only the API is served, as in development. */
  web: WebApp | null
  /** Where this machine reaches the server, known only after listening. */
  origin: () => string
  /** Whether this server is still starting, or about to end and serving only callers that have not noticed. */
  phase: () => Phase
}

/** Addresses below these are never pages of the web app. /auth and /functions themselves could be. */
const API_PREFIXES = ['/auth/v1', '/rest', '/storage', '/functions', '/realtime', '/graphql']

export function createSite({
  config,
  keys,
  database,
  metrics,
  plugins,
  web,
  origin: here,
  phase,
}: SiteOptions): Service {
  const configuration: Route = {
    method: 'GET',
    path: '/config.json',
    access: 'public',
    handler: ({ origin }) =>
      json(
        {
          // Reached under another name or port, the app still talks to the server it came from.
          supabaseUrl: config.originIsFixed ? config.publicUrl : origin,
          supabaseKey: keys.publishable,
          ...captchaConfiguration(config.auth.captcha),
          ...(config.customProviders.length > 0 ? { customProviders: config.customProviders } : {}),
          ...Object.assign({}, ...plugins.map(({ configuration }) => configuration)),
        },
        200,
        { 'cache-control': 'no-cache' },
      ),
  }
  const mounts = plugins.flatMap(({ paths = [] }) => paths)
  const unknown = [...API_PREFIXES, ...mounts].map(
    (prefix): Route => ({ method: '*', path: `${prefix}/*`, access: 'public', handler: noRoute }),
  )
  return {
    name: 'web',
    mount: '',
    cors: null,
    routes: [
      configuration,
      ...healthRoutes({ database, holdMs: config.reconnectTimeoutMs, phase }),
      metrics.route(config.metricsToken),
      ...unknown,
      ...(web ? [...functionRoutes({ web, plugins, origin: here }), web.route] : []),
    ],
  }
}
