// A throw-away cluster of the PostgreSQL that Debian or Ubuntu installed, for extensions that only it has: PostGIS.
import { existsSync, readdirSync } from 'node:fs'
import { type ExternalOptions, type ExternalPostgres, startExternalPostgres } from './external-postgres.ts'

/** The major version whose PostgreSQL has the extension, newest first; null where there is none. */
export function versionWith(extension: string): string | null {
  if (!existsSync('/usr/lib/postgresql')) return null
  const versions = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a))
  const has = (version: string) =>
    existsSync(`/usr/lib/postgresql/${version}/bin/initdb`) &&
    existsSync(`/usr/share/postgresql/${version}/extension/${extension}.control`)
  return versions.find(has) ?? null
}

/** Its programs. */
export const debianBinaries = (version: string) => binariesIn(`/usr/lib/postgresql/${version}/bin`)

/** Those of a folder. */
export const binariesIn = (folder: string) => ({
  initdb: `${folder}/initdb`,
  postgres: `${folder}/postgres`,
})

/** Makes and starts a cluster in some three seconds. */
export function startDebianPostgres(
  version: string,
  options: Omit<ExternalOptions, 'binaries'> = {},
): Promise<ExternalPostgres> {
  return startExternalPostgres({ ...options, binaries: debianBinaries(version) })
}
