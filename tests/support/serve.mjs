// The built server in a separate process, for tests that kill it: prints one JSON line once it listens.
import { main } from '../../.build/server.mjs'

process.once('disconnect', () => process.exit(1))

// A clock that is set while it runs.
const Machine = Date
let offset = 0
process.on('message', ({ clock }) => {
  offset = clock
})
process.channel?.unref()
globalThis.Date = class extends Machine {
  constructor(...given) {
    super(...(given.length > 0 ? given : [Machine.now() + offset]))
  }
  static now() {
    return Machine.now() + offset
  }
}

await main({
  args: process.argv.slice(2),
  web: false,
  onReady: ({ url, applied, services }) => {
    const { publishable, secret } = services.keys
    process.stdout.write(`${JSON.stringify({ url, applied, publishable, secret })}\n`)
  },
})
