// Finds what a function is made of: where it begins, which import map it has, what runs it. The order of precedence is
// that of the Supabase CLI (https://supabase.com/docs/guides/functions/dependencies).
import { access, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

/** `[functions.<name>]` of config.toml; paths are relative to the supabase folder. */
export type FunctionSettings = {
  enabled: boolean
  verify_jwt: boolean
  entrypoint?: string
  import_map?: string
  static_files: string[]
}

export type Source =
  | { kind: 'missing' }
  /** A handler.ts of ours, called in this process. */
  | { kind: 'handler'; file: string }
  | DenoSource

/** A module that calls Deno.serve (or exports `{ fetch }`), run by Deno. All paths are absolute. */
export type DenoSource = {
  kind: 'deno'
  name: string
  entrypoint: string
  /** A deno.json, or a bare import map. */
  importMap?: { file: string; isConfig: boolean }
  /** A package.json next to the entrypoint, whose dependencies Deno then reads. */
  packageJson: boolean
  /** Folders and files outside functions/ that `static_files` names. */
  staticFiles: string[]
}

export type SourceOptions = {
  /** The project's supabase folder. */
  project: string
  settings: FunctionSettings | undefined
  /** Run handler.ts under Deno as well, through its index.ts. */
  denoOnly: boolean
}

/** How index.ts looks where handler.ts is all there is to the function. */
const DEFERS_TO_HANDLER =
  /import\s+(\w+)\s+from\s+['"]\.\/handler\.ts['"][\s\S]*Deno\.serve\([\s\S]*\b\1\(\s*\w+\s*,\s*Deno\.env\.toObject\(\)\s*\)/

/** Where the function `name` begins, and the runtime that it needs. */
export async function findSource(name: string, options: SourceOptions): Promise<Source> {
  const { project, settings, denoOnly } = options
  const folder = path.join(project, 'functions', name)
  if (settings?.entrypoint) {
    const file = path.resolve(project, settings.entrypoint)
    return (await exists(file)) ? describe(name, file, options) : { kind: 'missing' }
  }
  const index = await firstOf(folder, ['index.ts', 'index.tsx', 'index.js', 'index.mjs'])
  const handler = path.join(folder, 'handler.ts')
  if ((!denoOnly || !index) && (await exists(handler))) {
    if (!index || DEFERS_TO_HANDLER.test(await readFile(index, 'utf8')))
      return { kind: 'handler', file: handler }
  }
  return index ? describe(name, index, options) : { kind: 'missing' }
}

/** Names of the folders that can be functions. */
export async function functionNames(project: string): Promise<string[]> {
  const entries = await readdir(path.join(project, 'functions'), { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory() && !/^[_.]/.test(entry.name)).map(({ name }) => name)
}

async function describe(
  name: string,
  entrypoint: string,
  { project, settings }: SourceOptions,
): Promise<DenoSource> {
  const folder = path.dirname(entrypoint)
  const functions = path.join(project, 'functions')
  const file = settings?.import_map
    ? path.resolve(project, settings.import_map)
    : ((await firstOf(folder, ['deno.json', 'deno.jsonc', 'import_map.json'])) ??
      (await firstOf(functions, ['import_map.json', 'deno.json', 'deno.jsonc'])))
  return {
    kind: 'deno',
    name,
    entrypoint,
    importMap:
      file === undefined ? undefined : { file, isConfig: /^deno\.jsonc?$/.test(path.basename(file)) },
    packageJson: !file && (await exists(path.join(folder, 'package.json'))),
    staticFiles: (settings?.static_files ?? []).map((pattern) => fixedPart(path.resolve(project, pattern))),
  }
}

/** The folder of a pattern up to its first wildcard. */
function fixedPart(pattern: string): string {
  const wild = pattern.search(/[*?[{]/)
  return wild === -1 ? pattern : path.dirname(`${pattern.slice(0, wild)}x`)
}

async function firstOf(folder: string, names: string[]): Promise<string | undefined> {
  for (const name of names) {
    const file = path.join(folder, name)
    if (await exists(file)) return file
  }
  return undefined
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
