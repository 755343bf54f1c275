// Texts come with the screens that show them: each screen of the router names the files its code takes texts from,
// and what a screen needs of a language is small.
import { basename } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { expect, test } from 'vitest'
import { files, imports, literal, type Node, nodes, type Source, tree } from './support/sources.ts'
import { isCallOf } from './support/syntax.ts'

const ROUTER = 'web/app/router.tsx'
/** Bytes of a language, as sent, for whoever opens one screen outside the back office first. */
const MOST_PER_SCREEN = 20_000
/** Every setting, card and payout stands in the profile; a booking says where its money stands in every
 * state, to either side, beside all that may wait for a person. */
const MOST = { 'web/app/ProfileScreen.tsx': 32_000, 'web/app/BookingsScreen.tsx': 22_300 } as Record<
  string,
  number
>
/** The build compresses harder and takes longer (scripts/build.mjs). */
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }

const sources = new Map(files(/^web\/.*\.tsx?$/).map((source) => [source.path, source]))
const texts = files(/^web\/i18n\/[a-z]+\/\w+\.json$/)
const names = new Set(texts.map(({ path }) => basename(path, '.json')))
const router = sources.get(ROUTER) as Source
const first = stringsIn(tree(sources.get('web/i18n/firstTexts.ts') as Source)).filter((name) =>
  names.has(name),
)

function stringsIn(node: Node): string[] {
  return [...nodes(node)].flatMap((inner) => literal(inner) ?? [])
}

/** What is drawn only once its texts are there, which its own code asks for: no screen names them. */
const openedLater = new Set(
  [...sources.values()]
    .filter(({ path, text }) => !path.startsWith('web/app/') && text.includes('openTexts('))
    .flatMap((source) => [...nodes(tree(source))])
    .filter((node) => isCallOf(node, 'openTexts'))
    .flatMap(stringsIn),
)

/** The screens of the router: the file that draws each, and the texts that it names. */
function screens(): { path: string; named: string[] }[] {
  const lists = new Map<unknown, string[]>()
  for (const node of nodes(tree(router)))
    if (node.type === 'VariableDeclarator') lists.set((node.id as Node).name, stringsIn(node))
  return [...nodes(tree(router))]
    .filter((node) => isCallOf(node, 'screen') || isCallOf(node, 'drawnBy'))
    .flatMap((node) => {
      const given = node.arguments as Node[]
      const loaded = given.flatMap((argument) =>
        [...nodes(argument)].filter(({ type }) => type === 'ImportExpression'),
      )
      const specifier = literal(loaded[0]?.source)
      if (!specifier) return []
      const last = given.at(-1) as Node
      const named = last.type === 'Identifier' ? (lists.get(last.name) ?? []) : stringsIn(last)
      const path = imports(router).find((found) => found.specifier === specifier)?.path ?? specifier
      return [{ path, named: named.filter((name) => names.has(name)) }]
    })
}

/** Of each module of the app: the files of texts whose keys stand in it, and what it imports, however late. */
const modules = new Map(
  [...sources.values()]
    .filter(({ path }) => path !== ROUTER && !path.startsWith('web/i18n/'))
    .map((source) => {
      const keys = [...source.text.matchAll(/['"`](\w+)\.[\w$]/g)].map(([, name = '']) => name)
      const imported = imports(source).flatMap(({ path }) => path ?? [])
      return [source.path, { shown: keys.filter((name) => names.has(name)), imported }]
    }),
)

/** The files of texts that a module and what it imports show. */
function needed(path: string): string[] {
  const seen = new Set([path])
  const shown = new Set<string>()
  for (const at of seen) {
    const module = modules.get(at)
    for (const name of module?.shown ?? []) shown.add(name)
    for (const next of module?.imported ?? []) seen.add(next)
  }
  return [...shown].filter((name) => !openedLater.has(name))
}

test('every screen names the texts that its code shows', () => {
  const all = screens()
  expect(all.length).toBeGreaterThan(30)
  const wrong = all.flatMap(({ path, named }) => {
    const lacking = needed(path).filter((name) => !first.includes(name) && !named.includes(name))
    return lacking.length > 0 ? [`${path} lacks ${lacking.join(', ')}`] : []
  })
  expect(wrong).toEqual([])
  const frame = [
    'web/app/App.tsx',
    'web/app/Layout.tsx',
    'web/app/RequireSession.tsx',
    'web/app/StartFailure.tsx',
  ]
  expect(frame.flatMap((path) => needed(path).filter((name) => !first.includes(name)))).toEqual([])
})

test('no screen outside the back office costs many bytes of a language', () => {
  const minified = ({ text }: Source) => JSON.stringify(JSON.parse(text))
  const sent = (all: Source[]) => brotliCompressSync(all.map(minified).join('\n'), QUICK).length
  const sizes = new Map(texts.map((source) => [source.path, sent([source])]))
  const languages = new Set(texts.map(({ path }) => path.split('/')[2] as string))
  const wrong = [...languages].flatMap((language) => {
    const fileOf = (name: string) => `web/i18n/${language}/${name}.json`
    const atFirst = sent(texts.filter(({ path }) => first.some((name) => path === fileOf(name))))
    return screens()
      .filter(({ named }) => !named.includes('backOffice'))
      .map(({ path, named }) => ({
        path,
        bytes: named.reduce((sum, name) => sum + (sizes.get(fileOf(name)) ?? 0), atFirst),
      }))
      .filter(({ path, bytes }) => bytes > (MOST[path] ?? MOST_PER_SCREEN))
      .map(({ path, bytes }) => `${language} ${path} ${bytes}`)
  })
  expect(wrong).toEqual([])
})

test('French texts keep a colon and quotation marks with their words: no line breaks in between', () => {
  const french = files(/^(web\/i18n\/fr\/\w+|shared\/texts\/fr\/\w+|supabase\/templates\/texts\/fr)\.json$/)
  expect(french.length).toBeGreaterThan(20)
  const apart = french.flatMap(({ path, text }) =>
    [...text.matchAll(/.{0,20}(?: [:;?!»](?!\w)|« ).{0,10}/g)].map(([found]) => `${path}: ${found}`),
  )
  expect(apart).toEqual([])
})
