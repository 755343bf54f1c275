// Whether the build is still that of the sources. Each part has a stamp: a hash of all its inputs, and the size and
// times of each file. A start that finds the files untouched reads none of them.
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where everything that is built goes, in a checkout's folder. */
export const OUT = '.build'

const here = fileURLToPath(new URL('..', import.meta.url))

/** The sources of each part: files, and folders with all their contents. */
const INPUTS = {
  server: [
    'packages/server/src',
    'packages/server/extensions',
    'packages/server/bundle.mjs',
    'packages/stripe-sandbox/src',
    'plugins',
    'deploy/nginx-functions.ts',
    'deploy/static-host.ts',
    'deploy/static-site.ts',
    'shared',
    'marketplace.config.ts',
    'package-lock.json',
    'scripts/build.mjs',
  ],
  web: [
    'web',
    'shared',
    'marketplace.config.ts',
    'vite.config.ts',
    'tsconfig.base.json',
    'package-lock.json',
    'scripts/build.mjs',
    'scripts/build-service-worker.mjs',
    'scripts/first-styles.mjs',
    'scripts/prerender.mjs',
    'scripts/texts-plugin.mjs',
  ],
}

/** Milliseconds for which a file has to have been left alone: one written twice within a tick of the clock looks the same. */
const SETTLED_MS = 1000

/**
 * How a part's inputs are now. `looks` is null while one of them was written a moment ago.
 * @param {'server' | 'web'} name
 * @returns {{ hash: () => string, looks: string | null }}
 */
export function inputsOf(name, root = here) {
  const paths = INPUTS[name].flatMap((input) => listFiles(join(root, input)))
  const place = `${process.version}\0${process.env.PUBLIC_URL ?? ''}`
  const looks = createHash('sha256').update(place)
  let newest = 0
  for (const path of paths) {
    const { size, mtimeMs, ctimeMs, ino } = lstatSync(path)
    looks.update(`${relative(root, path)}\0${size} ${mtimeMs} ${ctimeMs} ${ino}\0`)
    newest = Math.max(newest, ctimeMs)
  }
  const hash = () => {
    const sum = createHash('sha256').update(place)
    for (const path of paths)
      sum.update(relative(root, path)).update('\0').update(readFileSync(path)).update('\0')
    return sum.digest('hex')
  }
  return { hash, looks: Date.now() - newest < SETTLED_MS ? null : looks.digest('hex') }
}

/**
 * Whether a part was built from what its inputs are now.
 * @param {'server' | 'web'} name
 */
export function isBuilt(name, root = here) {
  const stamp = readStamp(name, root)
  if (!stamp) return false
  const { looks, hash } = inputsOf(name, root)
  if (looks && stamp.looks === looks) return true
  if (stamp.hash !== hash()) return false
  writeStamp(name, { hash: stamp.hash, looks }, root)
  return true
}

/**
 * @param {'server' | 'web'} name
 * @param {{ hash: string, looks: string | null }} stamp
 */
export function writeStamp(name, stamp, root = here) {
  try {
    writeFileSync(stampFile(name, root), JSON.stringify(stamp))
  } catch (error) {
    // An account without write access can still start a finished build.
    if (!['EACCES', 'EROFS', 'EPERM'].includes(error.code)) throw error
  }
}

/** @param {'server' | 'web'} name */
export function removeStamp(name, root = here) {
  rmSync(stampFile(name, root), { force: true })
}

function stampFile(name, root) {
  return join(root, OUT, `${name}.stamp`)
}

/** Null for none, and for one that was cut off while it was written. */
function readStamp(name, root) {
  try {
    return JSON.parse(readFileSync(stampFile(name, root), 'utf8'))
  } catch {
    return null
  }
}

/** The file itself, or every file below the folder, in a fixed order. */
export function listFiles(path) {
  if (!existsSync(path)) return []
  let entries
  try {
    entries = readdirSync(path, { recursive: true, withFileTypes: true })
  } catch (error) {
    if (error.code === 'ENOTDIR') return [path]
    throw error
  }
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
