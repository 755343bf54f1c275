// What search engines and link previews find without JavaScript: pages of tasks and people with a head of their own, and
// sitemaps of them, as functions of the project make them. Beside hosted Supabase deploy/page-heads.ts does the same.
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
