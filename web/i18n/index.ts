// Text in ten languages over i18next. Each file is a namespace, the first part of its keys: `auth.json` holds 'auth.signIn'.
// Code that is loaded later comes with its namespaces (scripts/texts-plugin.mjs). English replaces a key that a language lacks
// (withEnglish.ts) and a file that could not be loaded. The choice is kept in localStorage under `language` (spec 000 §1).
import i18next, { type BackendModule, type ParseKeys } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { isolated } from '../../shared/bidi.ts'
import { textValues } from '../../shared/textValues.ts'
import type { english } from './en/index.ts'
import { direction, isLanguage, type Language, manifestOf } from './languages.ts'

import { oneFullStop } from './oneFullStop.ts'
import { languageOfPath, pathIn, plainPath, rememberLanguage } from './preference.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    /** No key leaves out its namespace: the default one is empty. */
    defaultNS: ['none', ...Namespace[]]
    nsSeparator: '.'
    resources: typeof english & { none: Record<never, string> }
  }
}

declare global {
  interface ImportMetaEnv {
    /** In a build of the app: the namespaces of the first load (scripts/texts-plugin.mjs). */
    FRAME_TEXTS?: Namespace[]
  }
}

/** Any key that t() accepts; form schemas carry these as their messages. */
export type TextKey = ParseKeys

export type Namespace = keyof typeof english

const files = import.meta.glob<{ default: object }>('./*/*.json')

const textsOf = async (language: string, namespace: string) =>
  (await files[`./${language}/${namespace}.json`]?.())?.default

/** The state of loading texts, which this module owns. */
const loading: {
  /** A file could not be loaded: its texts are then read in English. */
  isIncomplete: boolean
  /** The start of i18next. */
  started?: Promise<unknown>
  /** A switch of the language that is under way. */
  switching?: Promise<unknown> | undefined
} = { isIncomplete: false }

const backend: BackendModule = {
  type: 'backend',
  callbackApi: true,
  init() {},
  async read(language, namespace, callback) {
    let failure: Error | undefined
    const texts = await textsOf(language, namespace).catch((error) => {
      failure = error
    })
    if (failure) {
      console.warn(`The texts of ${language}/${namespace} could not be loaded`, failure)
      loading.isIncomplete = true
      const english = await textsOf('en', namespace).catch(() => undefined)
      if (english) i18next.addResourceBundle('en', namespace, english)
    }
    // With a failure, `true` has i18next ask again.
    callback(failure, texts ?? true)
  },
}

/** Prepares t() in that language; resolves once the frame's texts have loaded. */
export async function startI18n(language: Language): Promise<void> {
  loading.started ??= i18next
    .use(initReactI18next)
    .use(oneFullStop)
    .use(backend)
    .init({
      lng: language,
      // Development, tests and prerendering have all texts at once.
      ns:
        import.meta.env.FRAME_TEXTS ??
        Object.keys(files).flatMap((path) => /^\.\/en\/(\w+)/.exec(path)?.[1] ?? []),
      defaultNS: [],
      // The same as keySeparator: the first part of a key is its namespace.
      nsSeparator: '.',
      postProcess: oneFullStop.name,
      // Otherwise i18next loads English in addition to every other language.
      fallbackLng: () => (loading.isIncomplete ? ['en'] : []),
      // A file that could not be loaded is asked for again when the next ones are, not by a timer.
      maxRetries: 0,
      initAsync: false,
      // React escapes markup; what is left to guard is the order of the letters.
      interpolation: { escapeValue: true, escape: (value) => isolated(value, direction(currentLanguage())) },
      returnEmptyString: false,
      // A browser's translator replaces text nodes, which React can only bear where one is alone in its element.
      react: { transWrapTextNodes: 'span' },
    })
  await loading.started
  if (i18next.language !== language) await switchTo(language)
}

/** Loads in that language what is open, then shows it. */
async function switchTo(language: Language): Promise<void> {
  const change = i18next.changeLanguage(language)
  loading.switching = change
  await change
  if (loading.switching === change) loading.switching = undefined
}

/**
 * Resolves with the module once its texts have loaded, too.
 * @public for builds, which put it around `import()` (scripts/texts-plugin.mjs)
 */
export async function withTexts<Module>(module: Promise<Module>, shown: Namespace[]): Promise<Module> {
  const [loaded] = await Promise.all([module, openNamespaces(shown)])
  return loaded
}

/** Loads namespaces, and again those that could not be loaded before. Never rejects. */
export async function openNamespaces(names: Namespace[]): Promise<void> {
  // i18next loads them in the language that is shown, not in the one that is about to be.
  while (loading.switching) await loading.switching
  await i18next.loadNamespaces(names)
}

export function currentLanguage(): Language {
  return isLanguage(i18next.language) ? i18next.language : 'en'
}

// A build has written the marketplace's values into its texts (vite.config.ts). Without one they are variables.
if (!import.meta.env.FRAME_TEXTS)
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
  await nextPicture()
  await switchTo(language)
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
