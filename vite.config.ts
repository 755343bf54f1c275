// How the web app is built and served while developing; the server in server/site.ts serves .build/web.
import { readFileSync } from 'node:fs'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { build } from 'esbuild'
import { defineConfig, type Plugin } from 'vite'
import { province } from './marketplace.config.ts'
import { frameTexts, textsPlugin } from './scripts/texts-plugin.mjs'
import { languageOf } from './shared/language.ts'
import { withValues } from './shared/textValues.ts'
import { withEnglish } from './web/i18n/withEnglish.ts'

const api = process.env.API_URL ?? 'http://localhost:3000'
const apiPaths = ['/auth/v1', '/rest', '/storage', '/functions', '/sandbox', '/config.json', '/health']

/** Puts what runs before the first paint into the page itself; the content security policy knows it by its hash. */
const beforePaint: Plugin = {
  name: 'before-paint',
  async transformIndexHtml() {
    const { outputFiles } = await build({
      entryPoints: ['web/app/beforePaint.ts'],
      absWorkingDir: import.meta.dirname,
      bundle: true,
      write: false,
      minify: true,
      format: 'iife',
      target: 'es2022',
    })
    return [{ tag: 'script', children: outputFiles[0]?.text ?? '', injectTo: 'head' }]
  },
}

/** The page and the manifest name the province as {{province}}; the build writes the manifest (scripts/prerender.mjs). */
const namedPlace: Plugin = {
  name: 'named-place',
  transformIndexHtml: (html) => html.replaceAll('{{province}}', province.names.en.name),
}

/**
 * Each file of texts, complete: English replaces the keys that a translation lacks, and the marketplace's values replace their
 * variables, so that pages load neither the English texts nor the configuration.
 */
const completeTexts: Plugin = {
  name: 'complete-texts',
  enforce: 'pre',
  transform(source, id) {
    const [, code, file] = /\/web\/i18n\/([a-z]+)\/(\w+\.json)$/.exec(id) ?? []
    if (!code) return null
    const english = `${import.meta.dirname}/web/i18n/en/${file}`
    this.addWatchFile(english)
    const texts = withEnglish(JSON.parse(source), JSON.parse(readFileSync(english, 'utf8')))
    return JSON.stringify(texts, (_, text) =>
      typeof text === 'string' ? withValues(text, languageOf(code)) : text,
    )
  },
}

export default defineConfig(({ isSsrBuild }) => ({
  root: 'web',
  plugins: [react(), tailwindcss(), beforePaint, namedPlace, completeTexts, textsPlugin()],
  server: {
    proxy: {
      ...Object.fromEntries(apiPaths.map((path) => [path, { target: api }])),
      '/realtime': { target: api, ws: true },
    },
  },
  build: isSsrBuild
    ? // The public pages as a program that renders them (scripts/prerender.mjs).
      { outDir: '../.build/prerender', emptyOutDir: true, copyPublicDir: false, minify: false }
    : {
        outDir: '../.build/web',
        emptyOutDir: true,
        // Which files belong to which screen, for scripts/prerender.mjs and scripts/build-service-worker.mjs.
        manifest: true,
        target: 'es2022',
        // Small files stay files: data: URLs would need holes in the content security policy.
        assetsInlineLimit: 0,
        rolldownOptions: {
          // What jspdf loads to turn HTML and SVG into PDFs, which nothing here asks of it.
          external: ['canvg', 'dompurify', 'html2canvas'],
          // The client library is imported by screens and, where a session is stored, before them (web/lib/client.ts).
          checks: { ineffectiveDynamicImport: false },
          output: { codeSplitting: { groups: chunks() } },
        },
      },
}))

/** Of web/ui and web/lib, what stands on the libraries of overlays and forms: pages without them do without these. */
const WITH_LIBRARIES = new RegExp(
  [
    'ui/(AlertDialog|CaptchaDialog|DateInput|Dialog|DropdownMenu|EarnedBadges|HiddenNotice|Popover|ReportButton|Sheet|Tabs)',
    'ui/form/(Form|FormField|UnsavedChanges|errors|useZodForm)',
    'ui/photos/(PhotoField|PhotoGrid|photoNames|usePhotoUploads)',
    'lib/(accountRules|zod|queries/restrictions)',
  ].join('|'),
)

/** What many screens need, in few files that change at different times; screens stay their own chunks. */
function chunks() {
  return [
    // What the entry looks at before it loads the app, which it does not by itself on a page that was built.
    {
      name: 'entry',
      test: /web\/(i18n\/(preference|languages)|lib\/(config|installOffer|nextMacrotask|providerNames|secondStep|serverClock|storedSession)|ui\/setInputValue)\.ts|vite\/preload-helper|rolldown\/runtime/,
    },
    { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
    { name: 'router', test: /node_modules\/react-router\// },
    {
      name: 'i18n',
      test: /node_modules\/(i18next|react-i18next|html-parse-stringify|use-sync-external-store)\//,
    },
    { name: 'data', test: /node_modules\/@tanstack\/(react-query|query-core)\// },
    { name: 'rest', test: /node_modules\/@supabase\/postgrest-js\// },
    // Modules of the cards in lists. The cards are shown before the app has started, so nothing here imports the router, the
    // query cache or the client library.
    {
      name: 'parts',
      test: new RegExp(
        [
          'web/i18n/[a-z]+\\.ts',
          'web/lib/(amounts|categoryText|digits|earlyData|format|paths|photoAddress|rest)\\.ts',
          'web/lib/queries/money\\.ts',
          'shared/(bidi|categories|cities|fees|formats|language|limits|locale|money|rules|text)\\.ts',
          'marketplace\\.config\\.ts',
          'web/ui/(AmountLines|Avatar|Badge|Button|Card|CategoryIcon|Deferred|EarlyPart|Link|Money|MorePages|PriceSplit)\\.tsx',
          'web/ui/(RelativeTime|Skeleton|Spinner|SplitCard|Stars|classes)\\.tsx?',
          'lucide-react/dist/esm/icons/(badge-check|calendar-days|circle-check-big|clock|map-pin|sparkles|users)\\.',
          'node_modules/(tailwind-merge|clsx|@radix-ui/react-(slot|compose-refs|direction))/',
        ].join('|'),
      ),
    },
    {
      name: 'grid',
      test: /web\/ui\/(VirtualGrid|useColumns)\.tsx?|@tanstack\/(react-virtual|virtual-core)\//,
    },
    // Each of the two lists, whole: they are shown before the app has started, sooner in one file than in six.
    {
      name: 'tasks',
      test: /web\/features\/tasks\/(earlyTasks|browsing|api\/openTasks|components\/(TaskCard|TaskFacts|TaskList))\.tsx?/,
    },
    {
      name: 'taskers',
      test: /web\/(ui\/EarnedBadges|features\/taskers\/(earlyTaskers|filters|FoundTaskers|Heart|TaskerCard|api\/search))\.tsx?/,
    },
    // The frame of every screen.
    {
      name: 'frame',
      test: new RegExp(
        [
          'web/lib/(client|connection|drafts|errorText|queryClient|session)\\.tsx?',
          'web/lib/(install|theme|themeChoice|title|waitingTask)\\.tsx?',
          'web/lib/(leaving|outbox|paymentProvider|picture|refusals|useOptimisticChoice|useDebounced)\\.ts',
          'web/ui/(BirdMark|CallToAction|CountBadge|CountAnnouncement|InstallButton|Page|PhoneText|Progress|Section|States|VerifiedMark|focusKeeper)\\.tsx?',
        ].join('|'),
      ),
    },
    { name: 'supabase', test: /node_modules\/(@supabase|iceberg-js)\// },
    // One by one they are two hundred bytes and a request each.
    { name: 'icons', test: /lucide-react/, minShareCount: 2 },
    { name: 'dates', test: /node_modules\/date-fns\//, minShareCount: 3 },
    {
      debugName: 'texts',
      name: (path: string) => `texts-${/web\/i18n\/([a-z]+)\//.exec(path)?.[1]}`,
      test: new RegExp(`web/i18n/[a-z]+/(${frameTexts().join('|')})\\.json$`),
    },
    // Modules shared by all overlays.
    {
      name: 'primitives',
      test: /node_modules\/@radix-ui\/(primitive|react-(context|primitive|use-[\w-]+))\//,
    },
    { name: 'ui', test: new RegExp(`web/(?!(${WITH_LIBRARIES.source})\\b)(ui|lib)/`), minShareCount: 8 },
    { name: 'forms', test: /node_modules\/(zod|react-hook-form)\// },
    {
      name: 'overlays',
      test: /node_modules\/(@radix-ui|@floating-ui|react-remove-scroll|aria-hidden)/,
      minShareCount: 3,
    },
  ]
}
