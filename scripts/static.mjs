// npm run static -- --host nginx|netlify|cloudflare --site URL --api URL --key KEY: the web app as static files beside hosted
// Supabase, with the headers that our own server sends, in .build/static.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { loadCommands } from './ensure-built.mjs'
import { writeHostCode } from './host-code.mjs'

const USAGE = `Usage: npm run static -- --host nginx|netlify|cloudflare --site URL --api URL --key KEY [--vapid KEY] [--root DIR]
  --host     who serves the files
  --site     where browsers reach them: https://meadowlark.example
  --api      the project's address: https://<ref>.supabase.co
  --key      its publishable key
  --vapid    the public half of the key that signs push messages
  --root     where nginx finds the files (default: .build/static)
`
const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const values = readArguments()

const { loadConfig, writeStaticSite } = await loadCommands({ web: true })
const to = path('.build/static')
const site = writeStaticSite({
  // Building sets NODE_ENV; what production asks of a server is nothing to static files.
  config: loadConfig({
    workdir: path('.'),
    production: false,
    env: { ...process.env, NODE_ENV: 'development' },
  }),
  ...{ from: path('.build/web'), to, host: values.host, key: values.key, root: values.root },
  origin: new URL(values.site).origin,
  api: new URL(values.api).origin,
  configuration: values.vapid ? { vapidPublicKey: values.vapid } : {},
})
// What runs before the files, where the host runs code.
const code = {
  cloudflare: `${to}/_worker.js`,
  netlify: path('.build/netlify/edge-functions/found.js'),
}[values.host]
if (code) await writeHostCode({ host: values.host, to: code, site, app: `${to}/app.html` })
const beside = { nginx: ` and ${to}.conf`, netlify: `, ${path('.build/netlify.toml')} and ${code}` }[
  values.host
]
process.stdout.write(`Written: ${to}${beside ?? ''}\n`)

/** Ends with 1 unless all that is needed is there. */
function readArguments() {
  const names = ['host', 'site', 'api', 'key', 'vapid', 'root']
  try {
    const { values } = parseArgs({
      options: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    })
    for (const name of ['host', 'site', 'api', 'key'])
      if (!values[name]) throw new Error(`--${name} is missing`)
    for (const name of ['site', 'api'])
      if (!URL.canParse(values[name])) throw new Error(`--${name} is no address: ${values[name]}`)
    if (!['nginx', 'netlify', 'cloudflare'].includes(values.host))
      throw new Error(`--host ${values.host} is not known`)
    return values
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`)
    process.exit(1)
  }
}
