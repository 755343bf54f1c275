// npm start: builds what has changed (where the sources are), starts the server and says where everything is.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { announce } from './announce.mjs'
import { isBuilt } from './stamps.mjs'

const started = Date.now()

// In a process of its own: the compilers' memory, and the NODE_ENV that Vite sets, stay out of the server.
const build = fileURLToPath(new URL('build.mjs', import.meta.url))
// The web app belongs to this repository's own project.
const ownProject = !process.argv.some((arg) => arg.startsWith('--workdir'))
// An image (deploy/Dockerfile) has no sources of the web app: it starts what was built.
const hasSources = existsSync(new URL('../web', import.meta.url))
if (hasSources && !(isBuilt('server') && (!ownProject || isBuilt('web')))) {
  const args = ownProject ? [build] : [build, '--server']
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) {
    process.stderr.write('\nThe build failed; what is wrong stands above.\n\n')
    process.exit(1)
  }
}

// From Node 22 on what was compiled once is kept; where it cannot be written, it is compiled at each start.
module.enableCompileCache?.(fileURLToPath(new URL('../.build/compiled', import.meta.url)))
const { main } = await import('../.build/server.mjs')
await main({ args: process.argv.slice(2), onReady: (server) => announce(server, started) })
