// Where this package is on disk: the same when run from source and as a part of a bundle.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = dirname(createRequire(import.meta.url).resolve('@meadowlark/stripe-sandbox/package.json'))

/** Absolute path of a file of this package, given relative to its root: `packageFile('src/schema.sql')`. */
export function packageFile(path: string): string {
  return join(root, path)
}
