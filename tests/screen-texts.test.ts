// Texts come with the code that shows them, and what a screen needs of a language is small.
import { join, relative } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { expect, test } from 'vitest'
import { frameTexts, screens, textsOf, withTexts } from '../scripts/texts-plugin.mjs'
import { files, root, type Source } from './support/sources.ts'

/** Bytes of a language, as sent, for whoever opens one screen outside the back office first. */
const MOST_PER_SCREEN = 20_000
/**
 * The profile has every setting, card and payout. A booking has texts about its money for every state and either
 * side, and for everything that may wait for a person.
 */
const MOST = { 'web/app/ProfileScreen.tsx': 32_000, 'web/app/BookingsScreen.tsx': 22_700 } as Record<
  string,
  number
>
/** The build compresses harder and takes longer (scripts/build.mjs). */
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }

const START = join(root, 'web/app/start.tsx')
const ROUTER = join(root, 'web/app/router.tsx')
const texts = files(/^web\/i18n\/[a-z]+\/\w+\.json$/)
const frame = frameTexts()

test('an import() of code with texts loads them, too, without those that are there already', () => {
  const code = (path: string) =>
    withTexts(path, files(/^web\/app\//).find((file) => join(root, file.path) === path)?.text ?? '', frame)
  const router = code(ROUTER)
  expect(router).toContain('withTexts(import(\'../features/pages/FaqPage.tsx\'), ["pages"])')
  // Screens of the frame's texts alone.
  expect(router).toContain("() => import('../features/tasks/BrowsePage.tsx')")
  expect(router.split('\n').length).toBe(files(/^web\/app\/router\.tsx$/)[0]?.text.split('\n').length)
  // The entry has no i18next.
  for (const entry of ['web/app/main.tsx', 'web/app/arrival.ts'])
    expect(code(join(root, entry))).not.toContain('withTexts')
  expect(textsOf(START).filter((name) => !frame.includes(name))).toEqual([])
})

test('no screen outside the back office costs many bytes of a language', () => {
  const minified = ({ text }: Source) => JSON.stringify(JSON.parse(text))
  const sent = (all: Source[]) => brotliCompressSync(all.map(minified).join('\n'), QUICK).length
  const sizes = new Map(texts.map((source) => [source.path, sent([source])]))
  const languages = new Set(texts.map(({ path }) => path.split('/')[2] as string))
  const opened = screens().map((path) => ({
    path: relative(root, path),
    own: textsOf(path).filter((name) => !frame.includes(name)),
  }))
  expect(opened.length).toBeGreaterThan(30)
  const wrong = [...languages].flatMap((language) => {
    const fileOf = (name: string) => `web/i18n/${language}/${name}.json`
    const atFirst = sent(texts.filter(({ path }) => frame.some((name) => path === fileOf(name))))
    return opened
      .filter(({ own }) => !own.includes('backOffice'))
      .map(({ path, own }) => ({
        path,
        bytes: own.reduce((sum, name) => sum + (sizes.get(fileOf(name)) ?? 0), atFirst),
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
