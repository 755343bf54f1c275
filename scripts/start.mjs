// npm start: builds what has changed (where the sources are), starts the server and says where everything is.
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { announce } from './announce.mjs'
import { ensureBuilt } from './ensure-built.mjs'

const started = Date.now()

// The web app belongs to this repository's own project.
ensureBuilt({ web: !process.argv.some((arg) => arg.startsWith('--workdir')) })

// From Node 22 on what was compiled once is kept; where it cannot be written, it is compiled at each start.
module.enableCompileCache?.(fileURLToPath(new URL('../.build/compiled', import.meta.url)))
const { main } = await import('../.build/server.mjs')
await main({ args: process.argv.slice(2), onReady: (server) => announce(server, started) })
