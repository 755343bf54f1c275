// Where the OAuth server is switched off by config.toml, each of its endpoints says so.
import { notFound } from '../errors.ts'
import type { AuthService } from '../service.ts'

/** The handler, for where `[auth.oauth_server]` is enabled. Throws feature_disabled elsewhere. */
export const ifEnabled =
  <Request, Result>(handler: (service: AuthService, request: Request) => Result) =>
  (service: AuthService, request: Request): Result => {
    if (!service.settings.oauth_server.enabled) throw notFound('feature_disabled', 'OAuth server is disabled')
    return handler(service, request)
  }
