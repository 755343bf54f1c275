// How the web app is built and served while developing; the server in packages/server/src/http/site.ts serves .build/web.
import { readFileSync } from 'node:fs'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { build } from 'esbuild'
import { defineConfig, type Plugin } from 'vite'
import { province } from './marketplace.config.ts'
import { chunkGroups } from './scripts/chunks.mjs'
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
          // Packages that jspdf loads to turn HTML and SVG into PDFs, which nothing here uses.
          external: ['canvg', 'dompurify', 'html2canvas'],
          // The client library is imported by screens and, where a session is stored, before them (web/lib/client.ts).
          checks: { ineffectiveDynamicImport: false },
          output: { codeSplitting: { groups: chunkGroups(frameTexts()) } },
        },
      },
}))
