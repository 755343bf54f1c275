// Turns supabase/functions/<name>/handler.ts into one module Node can import. Packages stay outside the bundle and
// are found from the project first, then from the server, so a project without node_modules runs too.
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'
import { type Stamps, stamped } from './source-stamps.ts'

export type Compiled = {
  /** The module's file; its name holds the hash of its content, so a changed function is a new module. */
  file: string
  /** Every source file that went in. */
  sources: Stamps
}

const serverFolder = path.dirname(fileURLToPath(import.meta.url))

/** Compiles one handler into `buildDir`. Rejects with esbuild's own message when the source is wrong. */
export async function compile(handlerFile: string, name: string, buildDir: string): Promise<Compiled> {
  // Loaded when a function is to be compiled: at most starts none is.
  const { build } = await import('esbuild')
  const result = await build({
    entryPoints: [handlerFile],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'silent',
    absWorkingDir: path.dirname(handlerFile),
    plugins: [packagesOutside(handlerFile)],
  })
  const code = result.outputFiles[0]?.contents
  if (!code) throw new Error(`esbuild produced no output for ${handlerFile}`)
  const hash = createHash('sha256').update(code).digest('hex').slice(0, 16)
  const file = path.join(buildDir, `${name}-${hash}.mjs`)
  await mkdir(buildDir, { recursive: true })
  // Written to a temporary file and renamed, so that nobody imports half a file.
  const partial = `${file}.${randomUUID()}.part`
  await writeFile(partial, code)
  await rename(partial, file)

  const folder = path.dirname(handlerFile)
  const sources = Object.keys(result.metafile.inputs).map((input) => path.resolve(folder, input))
  return { file, sources: await stamped(sources) }
}

/** Leaves packages to Node by the address of the file they resolve to; `npm:name@version` means `name`. */
function packagesOutside(handlerFile: string): Plugin {
  const resolving = Symbol('resolving')
  return {
    name: 'packages-outside',
    setup(bundle) {
      bundle.onResolve({ filter: /^[^./]/ }, async (args) => {
        if (args.kind === 'entry-point' || args.pluginData === resolving) return undefined
        const name = args.path.replace(/^(npm|jsr):\/?/, '').replace(/^(@[^/]+\/)?([^@/]+)@[^/]+/, '$1$2')
        if (isBuiltin(name)) return { path: name.startsWith('node:') ? name : `node:${name}`, external: true }
        for (const resolveDir of [args.resolveDir, path.dirname(handlerFile), serverFolder]) {
          const found = await bundle.resolve(name, { kind: args.kind, resolveDir, pluginData: resolving })
          if (found.errors.length === 0) return { path: pathToFileURL(found.path).href, external: true }
        }
        return { errors: [{ text: `The package '${name}' is not installed` }] }
      })
    },
  }
}
