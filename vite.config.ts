// How the web app is built and served while developing; the server in server/site.ts serves .build/web.
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { firstTexts } from './web/i18n/firstTexts.ts'

const api = process.env.API_URL ?? 'http://localhost:3000'
const apiPaths = ['/auth/v1', '/rest', '/storage', '/functions', '/sandbox', '/config.json', '/health']

export default defineConfig({
  root: 'web',
  plugins: [react(), tailwindcss()],
  server: {
    proxy: {
      ...Object.fromEntries(apiPaths.map((path) => [path, { target: api }])),
      '/realtime': { target: api, ws: true },
    },
  },
  build: {
    outDir: '../.build/web',
    emptyOutDir: true,
    // Which files belong to which screen, for scripts/build-service-worker.mjs.
    manifest: true,
    target: 'es2022',
    // Small files stay files: data: URLs would need holes in the content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      // What jspdf loads to turn HTML and SVG into PDFs, which nothing here asks of it.
      external: ['canvg', 'dompurify', 'html2canvas'],
      output: {
        // What every visit needs, in few files that change at different times; screens stay their own chunks.
        codeSplitting: {
          groups: [
            {
              name: 'framework',
              test: /node_modules\/(react|react-dom|react-router|scheduler|i18next|react-i18next|@tanstack)\//,
            },
            { name: 'supabase', test: /node_modules\/@supabase\// },
            { name: 'forms', test: /node_modules\/(zod|react-hook-form)\// },
            { name: 'icons', test: /lucide-react/, minShareCount: 2 },
            {
              name: (path) => `texts-${/web\/i18n\/([a-z]+)\//.exec(path)?.[1]}`,
              test: new RegExp(`web/i18n/(?!en/)[a-z]+/(${firstTexts.join('|')})\\.json$`),
            },
            { name: 'ui', test: /web\/(ui|lib)\//, minShareCount: 4 },
          ],
        },
      },
    },
  },
})
