// Turns supabase/functions/<name>/handler.ts into one module Node can import. Packages stay outside the bundle and
// are found from the project first, then from the server, so a project without node_modules runs too.
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rename, stat, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import type { DenoSource } from './source.ts'

export type Compiled = {
  /** The module's file; its name holds the hash of its content, so a changed function is a new module. */
  file: string
  /** Every source file that went in, with its modification time in milliseconds. */
  sources: Map<string, number>
}

const serverFolder = path.dirname(fileURLToPath(import.meta.url))

/** Compiles one handler into `buildDir`. Rejects with esbuild's own message when the source is wrong. */
export async function compile(handlerFile: string, name: string, buildDir: string): Promise<Compiled> {
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
  if (!code) throw new Error(`esbuild made nothing of ${handlerFile}`)
  const hash = createHash('sha256').update(code).digest('hex').slice(0, 16)
  const file = path.join(buildDir, `${name}-${hash}.mjs`)
  await mkdir(buildDir, { recursive: true })
  // Written beside and renamed, so that nobody imports half a file.
  const partial = `${file}.${randomUUID()}.part`
  await writeFile(partial, code)
  await rename(partial, file)

  const sources = new Map<string, number>()
  for (const input of Object.keys(result.metafile.inputs)) {
    const source = path.resolve(path.dirname(handlerFile), input)
    sources.set(source, await modified(source))
  }
  return { file, sources }
}

/**
 * Every local file that a module for Deno consists of, as far as esbuild can follow its imports, with its import map
 * and the file of its environment.
 */
export async function sourcesOf({ entrypoint, importMap }: DenoSource): Promise<string[]> {
  const folder = path.dirname(entrypoint)
  const files = [entrypoint, path.join(folder, '..', '.env'), ...(importMap ? [importMap.file] : [])]
  const result = await build({
    entryPoints: [entrypoint],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    logLevel: 'silent',
    absWorkingDir: folder,
    plugins: [
      {
        name: 'local-only',
        setup: (bundle) =>
          bundle.onResolve({ filter: /^[^./]/ }, (args) =>
            args.kind === 'entry-point' ? undefined : { path: args.path, external: true },
          ),
      },
    ],
  }).catch(() => undefined)
  for (const input of Object.keys(result?.metafile.inputs ?? {})) files.push(path.resolve(folder, input))
  return [...new Set(files)]
}

/** When a file was last changed, in milliseconds; 0 when it is not there. */
export async function modified(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.mtimeMs ?? 0
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
