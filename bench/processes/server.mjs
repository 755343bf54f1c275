// Our server, as `npm start` runs it.
import { main } from '../../.build/server.mjs'

await main({
  args: process.argv.slice(2),
  onReady: ({ url, services }) => {
    const { publishable, secret } = services.keys
    process.send({ ready: { port: Number(new URL(url).port), publishable, secret } })
  },
})
