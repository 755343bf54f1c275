// Deno from npm, for a server that was installed without it and meets a function that needs it.
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

/** The release that the tests run; the one in package.json. */
export const DENO_VERSION = '2.9.5'
/** Milliseconds: some 40 MB are loaded. */
const TIMEOUT_MS = 300_000

/**
 * Installs the npm package `deno` into `folder`, where `findDeno` meets it afterwards. Rejects with npm's words. Needs npm
 * on PATH; npm's own settings (registry, proxies, certificates) count.
 */
export async function fetchDeno(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  // Without a manifest npm would look for one in the folders above.
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }\n')
  const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  await promisify(execFile)(npm, ['install', ...options, `deno@${DENO_VERSION}`], {
    cwd: folder,
    timeout: TIMEOUT_MS,
  })
}
