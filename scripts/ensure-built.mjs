// Builds what has changed before a command runs. The compilers run in a separate process, so that their memory, their
// packages and the NODE_ENV that Vite sets stay out of the command. An installation without development tools (`npm
// prune --omit=dev`, the image) needs none of them.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isBuilt } from './stamps.mjs'

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))

/**
 * Builds the server, and with `web` the app, where their sources have changed. Ends the process with 1 when that fails.
 * An image has no sources of the app: it runs what was built.
 */
export function ensureBuilt({ web = true } = {}) {
  if (!existsSync(path('web')) || (isBuilt('server') && (!web || isBuilt('web')))) return
  if (!existsSync(path('node_modules/vite')))
    fail(
      'The sources, or the version of Node, have changed since the build, and the development tools are not installed. ' +
        'Run: npm ci && npm run build && npm prune --omit=dev',
    )
  const args = web ? [path('scripts/build.mjs')] : [path('scripts/build.mjs'), '--server']
  // On standard error: standard output belongs to the command.
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 2, 2] })
  if (status !== 0) fail('The build failed; the reason is above.')
}

/** The commands of the server and what the others are made of (plugins/commands.ts). */
export async function loadCommands(options = { web: false }) {
  ensureBuilt(options)
  return import('../.build/commands.mjs')
}

function fail(message) {
  process.stderr.write(`\n${message}\n\n`)
  process.exit(1)
}
