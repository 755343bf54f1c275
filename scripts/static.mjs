// npm run static -- --host nginx|netlify|cloudflare --site URL --api URL --key KEY: the web app as static files for
// hosted Supabase, with the headers that our own server sends.
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { loadCommands } from './ensure-built.mjs'
import { writeHostCode } from './host-code.mjs'

const USAGE = `Usage: npm run static -- --host nginx|netlify|cloudflare --site URL --api URL --key KEY [--vapid KEY] [--out DIR] [--root DIR]
  --host     who serves the files
  --site     where browsers reach them: https://meadowlark.example
  --api      the project's address: https://<ref>.supabase.co
  --key      its publishable key
  --vapid    the public half of the key that signs push messages
  --out      folder that is written anew (default: .build/static)
  --root     where nginx finds the files (default: the folder of --out)
`
const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const values = readArguments()

const { loadConfig, writeStaticSite } = await loadCommands({ web: true })
const to = resolve(values.out ?? path('.build/static'))
try {
  process.stdout.write(`Written: ${(await writeSite()).join(', ')}\n`)
} catch (error) {
  if (!['EACCES', 'EROFS', 'ENOSPC'].includes(error.code)) throw error
  process.stderr.write(`--out: ${error.path ?? to} cannot be written (${error.code}); name another folder\n`)
  process.exitCode = 1
}

/** Resolves with the paths that the host needs. */
async function writeSite() {
  const { host, key, root, vapid } = values
  const site = writeStaticSite({
    // Static files need nothing of what production asks of a server.
    config: loadConfig({
      workdir: path('.'),
      production: false,
      env: { ...process.env, NODE_ENV: 'development' },
    }),
    from: path('.build/web'),
    to,
    host,
    key,
    root,
    origin: new URL(values.site).origin,
    api: new URL(values.api).origin,
    configuration: vapid ? { vapidPublicKey: vapid } : {},
  })
  if (host === 'nginx') return [to, `${to}.conf`]
  const code = {
    cloudflare: join(to, '_worker.js'),
    netlify: join(to, '../netlify/edge-functions/page-heads.js'),
  }[host]
  await writeHostCode({ host, to: code, site, app: join(to, 'app.html') })
  return host === 'netlify' ? [to, join(to, '../netlify.toml'), code] : [to]
}

/** Ends with 1 unless all that is needed is there. */
function readArguments() {
  const names = ['host', 'site', 'api', 'key', 'vapid', 'out', 'root']
  try {
    const { values } = parseArgs({
      options: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    })
    for (const name of ['host', 'site', 'api', 'key'])
      if (!values[name]) throw new Error(`--${name} is missing`)
    for (const name of ['site', 'api'])
      if (!URL.canParse(values[name])) throw new Error(`--${name} is not an address: ${values[name]}`)
    if (!['nginx', 'netlify', 'cloudflare'].includes(values.host))
      throw new Error(`--host ${values.host} is not known`)
    return values
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`)
    process.exit(1)
  }
}
