// Where Deno is: named by DENO_PATH, in the npm package `deno` of the project or of this one, or on PATH.
import { accessSync, constants, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export type DenoPlace = {
  /** DENO_PATH; null when it is not set. */
  path: string | null
  /** PATH of the environment. */
  searchPath: string
}

/** The file to run; null when there is none. `project` is a folder of whose packages one may be. */
export function findDeno({ path: named, searchPath }: DenoPlace, project: string): string | null {
  if (named) return named
  const file = process.platform === 'win32' ? 'deno.exe' : 'deno'
  for (const from of [path.join(project, 'package.json'), fileURLToPath(import.meta.url)]) {
    const found = packaged(from, file)
    if (found) return found
  }
  for (const folder of searchPath.split(path.delimiter)) {
    if (folder && isProgram(path.join(folder, file))) return path.join(folder, file)
  }
  return null
}

/** The program in the package of this platform that `deno` brings along: no install script has to have run. */
function packaged(from: string, file: string): string | undefined {
  try {
    const manifest = createRequire(from).resolve('deno/package.json')
    const libc = process.platform === 'linux' ? '-glibc' : ''
    const platform = `@deno/${process.platform}-${process.arch}${libc}/package.json`
    const program = path.join(path.dirname(createRequire(manifest).resolve(platform)), file)
    return isProgram(program) ? program : undefined
  } catch {
    return undefined
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
