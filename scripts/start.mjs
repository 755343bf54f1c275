// npm start: builds what has changed, starts the server and says where everything is.
import { announce } from './announce.mjs'
import { build } from './build.mjs'

const started = Date.now()
const args = process.argv.slice(2)

try {
  const built = await build()
  if (built.length > 0) process.stdout.write(`Built ${built.join(' and ')}.\n`)
} catch (error) {
  process.stderr.write(`\nThe build failed:\n${error.message}\n\n`)
  process.exit(1)
}

const { main } = await import('../.build/server.mjs')
await main({ args, onReady: (server) => announce(server, started) })
