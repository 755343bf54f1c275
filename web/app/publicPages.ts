// The pages that are rendered when the app is built, in every language, with what search engines read of each.
import type { TextKey } from '../i18n/index.ts'
import { paths } from '../lib/paths.ts'

type PublicPage = { path: string; title: TextKey; description: TextKey }

const page = (path: string, title: TextKey, description: TextKey): PublicPage => ({
  path,
  title,
  description,
})

export const publicPages: PublicPage[] = [
  page(paths.landing, 'landing.hero.title', 'landing.hero.lead'),
  page(paths.auth, 'layout.titles.auth', 'landing.cta.body'),
  page(paths.browse, 'layout.titles.browse', 'landing.how.doers.browse.body'),
  page(paths.findTaskers, 'layout.titles.findTaskers', 'taskers.lead'),
  page(paths.becomeTasker, 'layout.titles.becomeTasker', 'pages.become.lead'),
  page(paths.howItWorks, 'layout.titles.howItWorks', 'pages.how.lead'),
  page(paths.categories, 'layout.titles.categories', 'landing.hero.lead'),
  page(paths.faq, 'layout.titles.faq', 'pages.faq.lead'),
  page(paths.terms, 'layout.titles.terms', 'legal.terms.lead'),
  page(paths.privacy, 'layout.titles.privacy', 'legal.privacy.lead'),
  page(paths.install, 'layout.titles.install', 'pages.install.lead'),
]
