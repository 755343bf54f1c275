// The server of this package with its default plugins. `npm run bench` builds dist/ before.
import { defaultPlugins, loadConfig, start } from '../../dist/index.mjs'

await start({
  args: process.argv.slice(2),
  command: 'meadowlark-server start',
  loadConfig,
  pluginsFor: defaultPlugins,
  onReady: ({ url, services }) => {
    const { publishable, secret } = services.keys
    process.send({ ready: { port: Number(new URL(url).port), publishable, secret } })
  },
})
