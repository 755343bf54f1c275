// Which files a function is made of, and whether one of them has changed since.
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { mapped, readImportMap } from './deno/import-map.ts'
import type { DenoSource } from './source.ts'

/** Files with their modification times, in milliseconds; 0 for one that is not there. */
export type Stamps = Map<string, number>

export async function stamped(files: string[]): Promise<Stamps> {
  const stamps: Stamps = new Map()
  for (const file of files) stamps.set(file, await modified(file))
  return stamps
}

export async function changed(stamps: Stamps): Promise<boolean> {
  for (const [file, time] of stamps) if ((await modified(file)) !== time) return true
  return false
}

async function modified(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.mtimeMs ?? 0
}

/**
 * Every local file that a module for Deno consists of, as far as esbuild can follow its imports, with its import map
 * and the file of its environment.
 */
export async function sourcesOf({ entrypoint, importMap }: DenoSource): Promise<string[]> {
  const folder = path.dirname(entrypoint)
  const files = [entrypoint, path.join(folder, '..', '.env'), ...(importMap ? [importMap.file] : [])]
  const map = (importMap && (await readImportMap(importMap.file))) ?? {}
  const local = (specifier: string): string | null => {
    const address = mapped(map, specifier)
    return importMap && address?.startsWith('.') ? path.resolve(path.dirname(importMap.file), address) : null
  }
  const { build } = await import('esbuild')
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
          bundle.onResolve({ filter: /^[^./]/ }, ({ kind, path: specifier }) => {
            if (kind === 'entry-point') return undefined
            const file = local(specifier)
            return file ? { path: file } : { path: specifier, external: true }
          }),
      },
    ],
  }).catch(() => undefined)
  for (const input of Object.keys(result?.metafile.inputs ?? {})) files.push(path.resolve(folder, input))
  return [...new Set(files)]
}
