// The built server in a process of its own, as tests kill it: prints one JSON line once it listens.
import { main } from '../../.build/server.mjs'

process.once('disconnect', () => process.exit(1))

await main({
  args: process.argv.slice(2),
  web: false,
  onReady: ({ url, applied, services }) => {
    const { publishable, secret } = services.keys
    process.stdout.write(`${JSON.stringify({ url, applied, publishable, secret })}\n`)
  },
})
