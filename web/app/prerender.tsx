// Renders the public pages to HTML when the app is built (scripts/prerender.mjs); the browser hydrates them.
import i18next from 'i18next'
import { prerender } from 'react-dom/static'
import { createMemoryRouter, type RouteObject } from 'react-router'
import { province } from '../../marketplace.config.ts'
import { faq } from '../features/pages/faq.ts'
import { startI18n } from '../i18n/index.ts'
import { direction, type Language, languages } from '../i18n/languages.ts'
import { pathIn } from '../i18n/preference.ts'
import { paths } from '../lib/paths.ts'
import { App } from './App.tsx'
import { publicPages } from './publicPages.ts'
import { openScreen, routes } from './router.tsx'

export type RenderedPage = {
  /** Its address without a language, `/faq`. */
  page: string
  /** Its address, `/fr/faq`. */
  path: string
  language: Language
  direction: 'ltr' | 'rtl'
  title: string
  description: string
  /** Content of the root element. */
  html: string
  /** The same page's addresses by language. */
  alternates: Record<string, string>
  /** Questions and answers of the page, if it is a list of them. */
  questions: { question: string; answer: string }[]
  /** Texts of the manifest in this language, on the landing page. */
  manifest?: { description: string; shortcuts: Record<string, string> }
}

/** Every public page in every language, one after the other. */
export async function* renderPages(): AsyncGenerator<RenderedPage> {
  for (const language of Object.keys(languages) as Language[]) {
    await startI18n(language)
    for (const { path: page, title, description } of publicPages) {
      const path = pathIn(language, page)
      const basename = language === 'en' ? '/' : `/${language}`
      await openScreen(path, basename)
      const router = createMemoryRouter(routes, { basename, initialEntries: [path] })
      const app = <App router={router} />
      // The first time loads what is lazy in it: a page that waited for anything would hold scripts.
      await prerender(app)
      const { prelude } = await prerender(app, { progressiveChunkSize: Number.POSITIVE_INFINITY })
      yield {
        page,
        path,
        language,
        direction: direction(language),
        title: `${i18next.t(title)} · Meadowlark`,
        description: i18next.t(description),
        html: await new Response(prelude).text(),
        alternates: Object.fromEntries(
          Object.keys(languages).map((code) => [code, pathIn(code as Language, page)]),
        ),
        questions: page === paths.faq ? faq(i18next.t) : [],
        ...(page === paths.landing && { manifest: manifestTexts() }),
      }
    }
  }
}

/** Where the marketplace is, in English. */
export const provinceName = province.names.en.name

/** The pattern of each screen's address, without a language: `/task/:id`. */
export const addresses: readonly string[] = addressesOf(routes)

function addressesOf(these: RouteObject[]): string[] {
  return these.flatMap(({ path, children = [] }) => [
    ...(path && path !== '*' ? [path] : []),
    ...addressesOf(children),
  ])
}

/** The shortcuts by their addresses, each as the screen it leads to is called. */
const manifestTexts = () => ({
  description: i18next.t('landing.hero.lead'),
  shortcuts: {
    [paths.browse]: i18next.t('layout.titles.browse'),
    [paths.postTask]: i18next.t('layout.titles.postTask'),
    [paths.bookings]: i18next.t('layout.titles.bookings'),
  },
})
