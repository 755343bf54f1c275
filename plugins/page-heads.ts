// Pages for search engines and link previews, which run no JavaScript: heads of tasks and people, and sitemaps, made
// by functions of the project. Next to hosted Supabase, deploy/page-heads.ts does the same.
import type { Plugin } from '@meadowlark/server/plugin.ts'

export const pageHeads: Plugin = {
  name: 'page-heads',
  pagesByFunction: {
    '/task/:id': 'page-head',
    '/profile/:id': 'page-head',
    '/:language/task/:id': 'page-head',
    '/:language/profile/:id': 'page-head',
  },
  filesByFunction: { '/sitemaps/:name': 'sitemap' },
}
