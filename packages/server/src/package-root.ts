// Where this package is on disk: the same when run from source, from its own bundle, and as a part of another program's bundle.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Absolute path of the folder that holds the server's package.json. */
export const packageRoot = dirname(createRequire(import.meta.url).resolve('@meadowlark/server/package.json'))

/** Absolute path of a file of this package, given relative to its root: `packageFile('src/auth/store/schema.sql')`. */
export function packageFile(path: string): string {
  return join(packageRoot, path)
}

/** The version in package.json. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }).version
}
