// Text in ten languages over i18next: each language's files come as screens open. English replaces a key that a language
// lacks (withEnglish.ts) and a file that could not be loaded. The choice is kept in localStorage under `language` (spec 000 §1).
import i18next, { type ParseKeys } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { isolated } from '../../shared/bidi.ts'
import { textValues } from '../../shared/textValues.ts'
import type { english } from './en/index.ts'
import { FIRST_TEXTS } from './firstTexts.ts'
import { direction, isLanguage, type Language, manifestOf } from './languages.ts'

import { oneFullStop } from './oneFullStop.ts'
import { languageOfPath, pathIn, plainPath, rememberLanguage } from './preference.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation'
    resources: { translation: typeof english }
  }
}

/** Any key that t() accepts; form schemas carry these as their messages. */
export type TextKey = ParseKeys

/** A file of texts by its name: 'auth' for `auth.json`. */
export type TextFile = keyof typeof english

const sources = import.meta.glob<{ default: object }>('./*/*.json')

/** The files that the first screen and every screen since has asked for. */
const opened = new Set<TextFile>(FIRST_TEXTS)
let started: Promise<void> | undefined

/** The opened files in a language, without those that could not be loaded: they are read in English until they can be. */
async function textsIn(language: Language): Promise<Record<string, object>> {
  const parts = await Promise.all(
    [...opened].map(async (file): Promise<[TextFile, object][]> => {
      try {
        const texts = await sources[`./${language}/${file}.json`]?.()
        if (texts) return [[file, texts.default]]
      } catch (error) {
        console.warn(`The texts of ${language}/${file} could not be loaded`, error)
      }
      if (language !== 'en') await addInEnglish(file)
      return []
    }),
  )
  return Object.fromEntries(parts.flat())
}

async function addInEnglish(file: TextFile) {
  const texts = await sources[`./en/${file}.json`]?.().catch(() => undefined)
  if (texts) i18next.addResourceBundle('en', 'translation', { [file]: texts.default }, true, true)
}

/**
 * Prepares t(); resolves once the language's first texts have loaded. A build calls it once for each language; in a page it
 * may be called twice, before the app starts and by it.
 */
export function startI18n(language: Language): Promise<void> {
  if (!started || i18next.language !== language) started = start(language)
  return started
}

async function start(language: Language) {
  await i18next
    .use(initReactI18next)
    .use(oneFullStop)
    .init({
      lng: language,
      postProcess: oneFullStop.name,
      fallbackLng: 'en',
      resources: {},
      // React escapes markup; what is left to guard is the order of the letters.
      interpolation: { escapeValue: true, escape: (value) => isolated(value, direction(currentLanguage())) },
      returnEmptyString: false,
      // A browser's translator replaces text nodes, which React can only bear where one is alone in its element.
      react: { transWrapTextNodes: 'span' },
    })
  await addTexts(language)
}

/** Loads texts that are not among the first, in the language that is read. */
export async function openTexts(files: readonly TextFile[]): Promise<void> {
  for (const file of files) opened.add(file)
  await started
  await addTexts(currentLanguage())
}

/** What of a language stands in i18next already. */
const added = new Map<Language, Set<TextFile>>()

async function addTexts(language: Language) {
  const known = added.get(language) ?? new Set<TextFile>()
  added.set(language, known)
  if ([...opened].every((file) => known.has(file))) return
  const texts = await textsIn(language)
  i18next.addResourceBundle(language, 'translation', texts, true, true)
  for (const file of Object.keys(texts) as TextFile[]) known.add(file)
}

export function currentLanguage(): Language {
  return isLanguage(i18next.language) ? i18next.language : 'en'
}

// Before anything is written in a language, its texts have the marketplace's values.
i18next.on('languageChanged', () => {
  const { interpolation } = i18next.options
  if (interpolation) interpolation.defaultVariables = textValues(currentLanguage())
})

/** Switches the language now and for the next visit. */
export async function chooseLanguage(language: Language): Promise<void> {
  rememberLanguage(language)
  // Where the address names the language, the page has another address in this one.
  if (languageOfPath(location.pathname)) {
    location.assign(pathIn(language, plainPath(location.pathname)) + location.search)
    return
  }
  // The menu closes first: drawing the page in another language takes a slow phone longer than an answer may.
  await Promise.all([addTexts(language), nextPicture()])
  await i18next.changeLanguage(language)
  showLanguage(language)
}

/** Resolves once the browser has painted what was done so far. */
const nextPicture = () => new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve)))

/** Has the document be in this language. */
export function showLanguage(language: Language) {
  const { documentElement: root } = document
  // Setting what is there already has the browser work out every element's styles again.
  if (root.lang !== language) root.lang = language
  if (root.dir !== direction(language)) root.dir = direction(language)
  document.querySelector('link[rel="manifest"]')?.setAttribute('href', manifestOf(language))
}
