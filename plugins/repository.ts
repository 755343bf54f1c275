// Where this repository is on disk, the same when run from source and from the bundle in .build.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

function findRoot(start: string): string {
  if (existsSync(join(start, 'package.json'))) return start
  const parent = dirname(start)
  if (parent === start) throw new Error('package.json not found above the program')
  return findRoot(parent)
}

/** Absolute path of the folder that holds package.json, web/ and supabase/. */
export const repositoryRoot = findRoot(dirname(fileURLToPath(import.meta.url)))

/** Absolute path of a file of this repository, given relative to its root: `repositoryFile('supabase/config.toml')`. */
export function repositoryFile(path: string): string {
  return join(repositoryRoot, path)
}
