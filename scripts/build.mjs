// Builds what has changed: the server into one file (.build/server.mjs), the web app into .build/web with each
// text file compressed beside it. A stamp with the hash of all inputs tells whether there is anything to do.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { buildServiceWorker } from './build-service-worker.mjs'
import { prerender } from './prerender.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const out = join(root, '.build')

/**
 * Builds server and web app where their sources changed; `web: false` leaves the web app out. Rejects with the
 * compiler's words. Resolves with the names of what was built.
 */
export async function build({ web = true } = {}) {
  mkdirSync(out, { recursive: true })
  const parts = [
    {
      name: 'server',
      inputs: ['start', 'server', 'sandbox', 'extensions', 'shared', 'package-lock.json'],
      run: buildServer,
    },
  ]
  if (web) {
    const inputs = [
      'web',
      'shared',
      'vite.config.ts',
      'tsconfig.base.json',
      'package-lock.json',
      'scripts/build.mjs',
      'scripts/build-service-worker.mjs',
      'scripts/first-styles.mjs',
      'scripts/prerender.mjs',
    ]
    parts.push({ name: 'web', inputs, run: buildWeb })
  }
  const changed = parts.filter(({ name, inputs }) => readStamp(name) !== hash(inputs))
  await Promise.all(
    changed.map(async ({ name, inputs, run }) => {
      const stamp = hash(inputs)
      rmSync(stampFile(name), { force: true })
      await run()
      // Written last: a build that was cut off is done again.
      writeFileSync(stampFile(name), stamp)
    }),
  )
  return changed.map(({ name }) => name)
}

async function buildServer() {
  const { build } = await import('esbuild')
  // Renamed when it is whole, since several builds may run at once.
  const fresh = join(out, `server.${process.pid}.mjs`)
  await build({
    absWorkingDir: root,
    entryPoints: ['start/main.ts'],
    outfile: fresh,
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    // Beside the file: in it, the map would take thirty megabytes of the server's memory.
    sourcemap: 'external',
    footer: { js: '//# sourceMappingURL=server.mjs.map' },
    logLevel: 'warning',
  })
  renameSync(`${fresh}.map`, join(out, 'server.mjs.map'))
  renameSync(fresh, join(out, 'server.mjs'))
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

function hash(inputs) {
  const sum = createHash('sha256')
    .update(process.version)
    .update(process.env.PUBLIC_URL ?? '')
  for (const input of inputs) {
    for (const path of listFiles(join(root, input)))
      sum.update(path).update('\0').update(readFileSync(path)).update('\0')
  }
  return sum.digest('hex')
}

/** The file itself, or every file below the folder, in a fixed order. */
function listFiles(path) {
  if (!existsSync(path)) return []
  let entries
  try {
    entries = readdirSync(path, { recursive: true, withFileTypes: true })
  } catch (error) {
    if (error.code === 'ENOTDIR') return [path]
    throw error
  }
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function stampFile(name) {
  return join(out, `${name}.stamp`)
}

function readStamp(name) {
  return existsSync(stampFile(name)) ? readFileSync(stampFile(name), 'utf8') : null
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
