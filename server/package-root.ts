// Where this package lies on disk, the same when run from source and from the bundle in .build.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

function findRoot(start: string): string {
  if (existsSync(join(start, 'package.json'))) return start
  const parent = dirname(start)
  if (parent === start) throw new Error('package.json not found above the server code')
  return findRoot(parent)
}

/** Absolute path of the folder that holds package.json. */
export const packageRoot = findRoot(dirname(fileURLToPath(import.meta.url)))

/** Absolute path of a file of this package, given relative to its root: `packageFile('server/auth/store/schema.sql')`. */
export function packageFile(path: string): string {
  return join(packageRoot, path)
}

/** The version in package.json. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }).version
}
