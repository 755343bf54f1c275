// npm start: builds what has changed (where the sources are), starts the server and says where everything is.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { announce } from './announce.mjs'

const started = Date.now()

// In a process of its own: the compilers' memory, and the NODE_ENV that Vite sets, stay out of the server.
const build = fileURLToPath(new URL('build.mjs', import.meta.url))
// The web app belongs to this repository's own project.
const ownProject = !process.argv.some((arg) => arg.startsWith('--workdir'))
const parts = ownProject ? [] : ['--server']
// An image (deploy/Dockerfile) has no sources of the web app: it starts what was built.
if (existsSync(new URL('../web', import.meta.url))) {
  const { status } = spawnSync(process.execPath, [build, ...parts], { stdio: 'inherit' })
  if (status !== 0) {
    process.stderr.write('\nThe build failed; what is wrong stands above.\n\n')
    process.exit(1)
  }
}

const { main } = await import('../.build/server.mjs')
await main({ args: process.argv.slice(2), onReady: (server) => announce(server, started) })
