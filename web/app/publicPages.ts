// The pages that are rendered when the app is built, in every language, with what search engines read of each.
import type { TextFile, TextKey } from '../i18n/index.ts'
import { paths } from '../lib/paths.ts'

type PublicPage = { path: string; title: TextKey; description: TextKey; texts: readonly TextFile[] }

const page = (path: string, title: TextKey, description: TextKey, ...texts: TextFile[]): PublicPage => ({
  path,
  title,
  description,
  texts,
})

export const publicPages: PublicPage[] = [
  page(paths.landing, 'landing.hero.title', 'landing.hero.lead', 'landing'),
  page(paths.auth, 'layout.titles.auth', 'landing.cta.body', 'landing', 'auth'),
  page(paths.browse, 'layout.titles.browse', 'landing.how.doers.browse.body', 'landing'),
  page(paths.findTaskers, 'layout.titles.findTaskers', 'taskers.lead', 'taskers'),
  page(paths.becomeTasker, 'layout.titles.becomeTasker', 'pages.become.lead', 'pages'),
  page(paths.howItWorks, 'layout.titles.howItWorks', 'pages.how.lead', 'pages'),
  page(paths.categories, 'layout.titles.categories', 'landing.hero.lead', 'pages', 'landing'),
  page(paths.faq, 'layout.titles.faq', 'pages.faq.lead', 'pages'),
  page(paths.terms, 'layout.titles.terms', 'legal.terms.lead', 'legal'),
  page(paths.privacy, 'layout.titles.privacy', 'legal.privacy.lead', 'legal'),
  page(paths.install, 'layout.titles.install', 'pages.install.lead', 'pages'),
]
