// Reads the repository's own source for tests/architecture.test.ts: every file, its imports and its syntax
// tree, through the same parser that Vite builds the app with.
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A node of the syntax tree (ESTree with TypeScript and JSX). Only what the tests look at is typed. */
export type Node = { type: string; start: number; end: number; [key: string]: unknown }

/** A place in a file, written as editors understand it. */
export type Source = { path: string; text: string; at(offset: number): string }

/** Every file that git knows or would take, read once a run. */
let known: Source[] | undefined

/** Those whose path, relative to the repository's root, fits. */
export function files(pattern: RegExp): Source[] {
  known ??= readAll()
  return known.filter(({ path }) => pattern.test(path))
}

function readAll(): Source[] {
  return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
    .split('\n')
    .filter((path) => path && statSync(join(root, path), { throwIfNoEntry: false })?.isFile())
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return { path, text, at: (offset) => `${path}:${text.slice(0, offset).split('\n').length}` }
    })
}

const parsed = new Map<string, { program: Node; comments: Node[] }>()

/** The syntax tree of a TypeScript or JavaScript file. Throws with the path when it does not parse. */
export function tree(source: Source): Node {
  return parse(source).program
}

/** Comments of a TypeScript or JavaScript file in their order: `type` is `Line` or `Block`. */
export function comments(source: Source): Node[] {
  return parse(source).comments
}

function parse(source: Source) {
  const before = parsed.get(source.path)
  if (before) return before
  const { errors, program, comments } = parseSync(source.path, source.text)
  if (errors.length > 0) throw new Error(`${source.path}: ${errors[0]?.message}`)
  const read = { program: program as unknown as Node, comments: comments as unknown as Node[] }
  parsed.set(source.path, read)
  return read
}

/** Every node below (and with) this one, parents first. */
export function nodes(node: Node): Node[] {
  const found: Node[] = []
  const add = (one: unknown) => {
    if (Array.isArray(one)) for (const each of one) add(each)
    else if (one && typeof one === 'object' && typeof (one as Node).type === 'string') {
      found.push(one as Node)
      for (const value of Object.values(one)) if (typeof value === 'object') add(value)
    }
  }
  add(node)
  return found
}

type Import = { specifier: string; path?: string; offset: number }
const importsOf = new Map<string, Import[]>()

/** Imports of a file: `specifier` as written, and `path` from the root for our own files. */
export function imports(source: Source): Import[] {
  const read = importsOf.get(source.path) ?? readImports(source)
  importsOf.set(source.path, read)
  return read
}

function readImports(source: Source): Import[] {
  const found: { specifier: string; offset: number }[] = []
  for (const node of nodes(tree(source))) {
    const from =
      node.type === 'TSImportType'
        ? (node.source ?? node.argument)
        : /^(Import|Export)/.test(node.type) && node.source
    const literal = from && ((from as Node).type === 'TSLiteralType' ? (from as Node).literal : from)
    const specifier = literal && (literal as Node).value
    if (typeof specifier === 'string') found.push({ specifier, offset: node.start })
  }
  return found.map(({ specifier, offset }) => ({
    specifier,
    offset,
    ...pathOf(specifier, source.path),
  }))
}

/** Where the packages of this repository have what others import from them: the `exports` of their package.json. */
const PACKAGE = /^@meadowlark\/(server|stripe-sandbox)\/(?=(tests|extensions)\/)?/

/** The imported file from the root; nothing for a package of the registry. */
function pathOf(specifier: string, from: string): { path?: string } {
  if (specifier.startsWith('.')) return { path: posix.join(dirname(from), specifier.replace(/\?.*$/, '')) }
  if (!PACKAGE.test(specifier)) return {}
  return {
    path: specifier.replace(PACKAGE, (_, name, folder) => `packages/${name}/${folder ? '' : 'src/'}`),
  }
}

/** The text of a string literal or of a template without holes, otherwise undefined. */
export function literal(node: unknown): string | undefined {
  type Text = {
    type?: string
    value?: unknown
    quasis?: { value: { cooked: string } }[]
    expressions?: Node[]
  }
  const { type, value, quasis, expressions } = (node ?? {}) as Text
  if (type === 'Literal' && typeof value === 'string') return value
  if (type === 'TemplateLiteral' && expressions?.length === 0) return quasis?.[0]?.value.cooked
  return undefined
}
