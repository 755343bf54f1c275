// Builds the changed parts (stamps.mjs). The server (.build/server.mjs and the pieces that it imports) has the
// packages that it loads at its start. The web app goes into .build/web, with a compressed copy of each text file
// next to it.
import { mkdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { bundleServer } from '../packages/server/bundle.mjs'
import { buildServiceWorker } from './build-service-worker.mjs'
import { prerender } from './prerender.mjs'
import { inputsOf, isBuilt, listFiles, OUT, removeStamp, writeStamp } from './stamps.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const out = join(root, OUT)

/**
 * Builds server and web app where their sources changed; `web: false` leaves the web app out. Rejects with the
 * compiler's words. Resolves with the names of what was built.
 */
export async function build({ web = true } = {}) {
  mkdirSync(out, { recursive: true })
  const parts = [{ name: 'server', run: buildServer }, ...(web ? [{ name: 'web', run: buildWeb }] : [])]
  const changed = parts.filter(({ name }) => !isBuilt(name))
  await Promise.all(
    changed.map(async ({ name, run }) => {
      const { hash, looks } = inputsOf(name)
      const stamp = { hash: hash(), looks }
      removeStamp(name)
      await run()
      // Written last: a build that was cut off is done again.
      writeStamp(name, stamp)
    }),
  )
  return changed.map(({ name }) => name)
}

/** `server.mjs` starts the server, `commands.mjs` holds the other commands and what they are made of. */
const buildServer = () =>
  bundleServer({ root, entries: { server: 'plugins/program.ts', commands: 'plugins/commands.ts' }, out })

async function buildWeb() {
  const { build } = await import('vite')
  const options = {
    root: join(root, 'web'),
    configFile: join(root, 'vite.config.ts'),
    mode: 'production',
    logLevel: 'warn',
  }
  const directory = join(out, 'web')
  await build(options)
  await build({ ...options, build: { ssr: 'app/prerender.tsx' } })
  await prerender({ program: join(out, 'prerender'), web: directory, origin: process.env.PUBLIC_URL })
  await buildServiceWorker(root, directory)
  await compress(join(out, 'web'))
}

const TEXT = /\.(js|mjs|css|svg|json|webmanifest|txt|xml|map)$/

/** Puts a .br and a .gz next to every text file that they make smaller; pages are compressed as they are served. */
async function compress(directory) {
  const files = listFiles(directory).filter((path) => TEXT.test(path))
  await Promise.all(
    files.map(async (path) => {
      const body = await readFile(path)
      const variants = [
        [
          '.br',
          await promisify(brotliCompress)(body, {
            params: { [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
          }),
        ],
        ['.gz', await promisify(gzip)(body, { level: 9 })],
      ]
      for (const [suffix, packed] of variants) {
        if (packed.length < body.length) await writeFile(path + suffix, packed)
      }
    }),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const started = Date.now()
  try {
    // --server leaves the web app out.
    const built = await build({ web: !process.argv.includes('--server') })
    const seconds = ((Date.now() - started) / 1000).toFixed(1)
    if (built.length > 0) process.stdout.write(`Built ${built.join(' and ')} (${seconds} s).\n`)
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
