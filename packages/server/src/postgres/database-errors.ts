// Explains at the start why the database of DATABASE_URL refuses this server, and names the setting to change.

import { ConfigError } from '../config/config.ts'
import { hostsOf } from '../config/database-url.ts'
import { isUnavailable } from '../sql/errors.ts'

/** Says which setting is to blame when the database of DATABASE_URL does not let us in. */
export function unusableDatabase(url: string, error: Error & { code?: string }): Error {
  // Class 28: wrong user or password. 3D000: no such database. Or a certificate that Node.js does not trust.
  const refused = /^28|^3D000|^(CERT|ERR_TLS|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)_/.test(error.code ?? '')
  if (!isUnavailable(error) && !refused && !/not support SSL/.test(error.message)) return error
  const { hostname, port, pathname } = new URL(url)
  const hosts = hostsOf(url).map((each) => `${each.host}:${each.port}`)
  const one = `${decodeURIComponent(hostname)}${port && `:${port}`}`
  const place = `${hosts.length > 1 ? hosts.join(' or ') : one}${pathname}`
  return new ConfigError([
    `DATABASE_URL: the database at ${place} cannot be used (${error.message}); start it, or correct the environment variable`,
  ])
}

/** The Data API signs in as `login`, with the password of DATABASE_URL. */
export function lockedOut(login: string, error: Error & { code?: string }): Error {
  if (!/^28/.test(error.code ?? '')) return error
  return new ConfigError([
    `DATABASE_URL: the role ${login} cannot sign in with the same password (${error.message}); ` +
      `run "alter role ${login} with login password '…'" with that password`,
  ])
}
