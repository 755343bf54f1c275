// Loads texts with the code that shows them (docs/decisions/0065). A module shows the namespaces whose keys it and
// its static imports contain. Each `import()` of such a module becomes `withTexts(import(…), [its namespaces])`
// (web/i18n/index.ts): both load at the same time, as Vite does with styles. The texts of the frame around every
// screen come with the first load instead.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseSync } from 'vite'

const WEB = join(import.meta.dirname, '../web')
const START = join(WEB, 'app/start.tsx')
/** Its imports are screens, and its keys their titles, which are shown once the screen has loaded. */
const ROUTER = join(WEB, 'app/router.tsx')
const I18N = join(WEB, 'i18n')

/** 'auth.signIn' and all other keys. */
const keys = readdirSync(join(I18N, 'en'))
  .filter((file) => file.endsWith('.json'))
  .flatMap((file) =>
    keysOf(JSON.parse(readFileSync(join(I18N, 'en', file), 'utf8')), basename(file, '.json')),
  )

function keysOf(texts, path) {
  if (typeof texts === 'string') return [path]
  return Object.entries(texts).flatMap(([name, inner]) => keysOf(inner, `${path}.${name}`))
}

/** The namespaces of the keys in a module, also of keys that end with a `${value}`. */
function shownBy(code) {
  const written = new Set([...code.matchAll(/['"`](\w+\.[\w.]*)/g)].map(([, start]) => start))
  const known = [...written].filter((start) => keys.some((key) => key.startsWith(start)))
  return [...new Set(known.map((start) => start.split('.')[0]))]
}

/** Vite's plugin for builds of the app; development, tests and prerendering have all texts at once. */
export function textsPlugin() {
  const frame = frameTexts()
  return {
    name: 'texts',
    apply: (_, { command, isSsrBuild }) => command === 'build' && !isSsrBuild,
    enforce: 'pre',
    config: () => ({ define: { 'import.meta.env.FRAME_TEXTS': JSON.stringify(frame) } }),
    transform: {
      filter: { id: /\/web\/.*\.tsx?$/, code: 'import(' },
      handler: (code, id) => ({ code: withTexts(id, code, frame), map: null }),
    },
  }
}

/** Namespaces of the frame around every screen: of the code that the app starts with, and of the parts that this code loads later. */
export function frameTexts() {
  const parts = modulesOf(START).flatMap(({ path, lateImports }) => (path === ROUTER ? [] : lateImports))
  return textsOf(START, ...parts.map(({ path }) => path))
}

/** The modules that the router loads: screens, and the frames of some. */
export const screens = () => read(ROUTER).lateImports.map(({ path }) => path)

/** Namespaces of modules and of all that they import at once. */
export function textsOf(...paths) {
  const modules = modulesOf(...paths).filter(({ path }) => path !== ROUTER)
  return [...new Set(modules.flatMap(({ shown }) => shown))].sort()
}

/** These modules and all that they import at once. */
function modulesOf(...paths) {
  const seen = new Set(paths)
  for (const path of seen) for (const imported of read(path).imports) seen.add(imported)
  return [...seen].map(read)
}

/** The code with `withTexts` around each `import()` that needs it. Line numbers stay the same. */
export function withTexts(path, code, frame) {
  const loaded = [...frame, ...textsOf(path)]
  let written = code
  for (const { path: imported, start, end } of scan(path, code).lateImports.toReversed()) {
    const own = textsOf(imported).filter((namespace) => !loaded.includes(namespace))
    if (own.length > 0)
      written = `${written.slice(0, start)}withTexts(${written.slice(start, end)}, ${JSON.stringify(own)})${written.slice(end)}`
  }
  return written === code ? code : `import { withTexts } from '${join(I18N, 'index.ts')}'; ${written}`
}

const modules = new Map()

function read(path) {
  const module = modules.get(path) ?? scan(path, readFileSync(path, 'utf8'))
  modules.set(path, module)
  return module
}

/** Which namespaces have keys in a module, and which of our modules it imports at once and later. */
function scan(path, code) {
  const { staticImports, staticExports, dynamicImports } = parseSync(path, code).module
  const ours = (specifier) => (/^\..*\.tsx?$/.test(specifier) ? [join(dirname(path), specifier)] : [])
  const isUsed = ({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType)
  return {
    path,
    shown: path.startsWith(I18N) ? [] : shownBy(code),
    imports: [
      ...staticImports.filter(isUsed).map(({ moduleRequest }) => moduleRequest.value),
      ...staticExports.flatMap(({ entries }) =>
        entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
      ),
    ].flatMap(ours),
    lateImports: dynamicImports.flatMap(({ start, end, moduleRequest }) =>
      ours(code.slice(moduleRequest.start + 1, moduleRequest.end - 1)).map((path) => ({ path, start, end })),
    ),
  }
}
