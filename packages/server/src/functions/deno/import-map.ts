// The import map that Deno is given. Imports that bring nothing but types, as the CLI's own template has one
// (`jsr:@supabase/functions-js/edge-runtime.d.ts`), are pointed at nothing, so that they need no network.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DenoSource } from '../source.ts'

export type ImportMap = { imports?: Record<string, string>; scopes?: Record<string, Record<string, string>> }

const TYPES_ONLY = /^\s*import\s+['"]((?:jsr:|npm:|https:)[^'"]*functions-js[^'"]*edge-runtime\.d\.ts)['"]/gm
const NO_MODULE = 'data:application/javascript,'

/** The flags of Deno's command line for a function's import map. A map that has to be made is written to `folder`. */
export async function importMapFlags(source: DenoSource, folder: string): Promise<string[]> {
  const { importMap, packageJson, entrypoint, name } = source
  const code = await readFile(entrypoint, 'utf8').catch(() => '')
  const specifiers = [...code.matchAll(TYPES_ONLY)].map(([, specifier]) => specifier as string)
  const config = importMap?.isConfig ? [`--config=${importMap.file}`] : packageJson ? [] : ['--no-config']
  const given = importMap && (await readImportMap(importMap.file))
  if (specifiers.length === 0 || (importMap && !given)) {
    return importMap && !importMap.isConfig ? [...config, `--import-map=${importMap.file}`] : config
  }
  const map = importMap && given ? absolute(given, importMap.file) : {}
  map.imports = { ...map.imports, ...Object.fromEntries(specifiers.map((one) => [one, NO_MODULE])) }
  const file = path.join(folder, `${name}-import-map.json`)
  await mkdir(folder, { recursive: true })
  await writeFile(file, JSON.stringify(map))
  return [...config, `--import-map=${file}`]
}

/** A JSON file with comments and commas too many, as Deno allows; undefined when it is none: Deno says so then. */
export async function readImportMap(file: string): Promise<ImportMap | undefined> {
  try {
    const text = await readFile(file, 'utf8')
    const bare = text.replace(/"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) =>
      part.startsWith('"') ? part : '',
    )
    return JSON.parse(bare.replace(/"(?:\\.|[^"\\])*"|,(?=\s*[}\]])/g, (part) => (part === ',' ? '' : part)))
  } catch {
    return undefined
  }
}

/** The map's entry for a specifier: the longest matching name; a name ending in a slash matches as a prefix. */
export function mapped({ imports = {} }: ImportMap, specifier: string): string | undefined {
  const name = Object.keys(imports)
    .filter((one) => one === specifier || (one.endsWith('/') && specifier.startsWith(one)))
    .sort((a, b) => b.length - a.length)[0]
  return name === undefined ? undefined : `${imports[name]}${specifier.slice(name.length)}`
}

/** The map with its relative addresses made absolute, as it is written elsewhere. */
function absolute({ imports = {}, scopes = {} }: ImportMap, file: string): ImportMap {
  const base = pathToFileURL(file)
  const resolve = (address: string) => (/^\.{0,2}\//.test(address) ? new URL(address, base).href : address)
  const all = (map: Record<string, string>) =>
    Object.fromEntries(Object.entries(map).map(([name, address]) => [name, resolve(address)]))
  return {
    imports: all(imports),
    scopes: Object.fromEntries(Object.entries(scopes).map(([prefix, map]) => [resolve(prefix), all(map)])),
  }
}
