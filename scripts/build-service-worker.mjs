// Builds the two service workers: the visitors', and the app's with the list of files that it keeps for use without a network.
// The list has the page and everything that its screens load, except what only the back office or few people need.
import { createHash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Modules whose code is not kept: screens that are of no use offline, and the library that draws PDFs. */
const LEFT_OUT =
  /features\/(admin|applications|verification)\/|\/(admin|backOffice)\.json|receipts\/.*pdf|jspdf/i
/** Letters that the texts of one's neighbours may have; kept once they were needed. */
const RARE_LETTERS = /(vietnamese|latin-ext)-/
/** Languages but English, by module; each is kept by whoever reads it. */
const TRANSLATION = /i18n\/(?!en\/)([a-z]+)\/[^/]+\.json$/
const ICONS = ['/favicon.svg', '/icon-192.png']

/** `directory` holds the finished web app, with Vite's manifest, which this takes away. */
export async function buildServiceWorker(root, directory) {
  const { build } = await import('esbuild')
  const manifestFile = join(directory, '.vite/manifest.json')
  const chunks = JSON.parse(readFileSync(manifestFile, 'utf8'))
  rmSync(join(directory, '.vite'), { recursive: true })
  const { files, texts } = keptFiles(chunks)
  const revisioned = (url) => ({
    url,
    revision: createHash('sha256')
      .update(readFileSync(join(directory, url)))
      .digest('hex')
      .slice(0, 16),
  })
  const options = {
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    logLevel: 'warning',
  }
  await build({
    ...options,
    entryPoints: ['web/worker/visitorWorker.ts'],
    outfile: join(directory, 'visitor-worker.js'),
  })
  await build({
    ...options,
    entryPoints: ['web/worker/serviceWorker.ts'],
    outfile: join(directory, 'service-worker.js'),
    define: {
      'process.env.NODE_ENV': '"production"',
      PRECACHED: JSON.stringify([
        ...['/app.html', ...ICONS].map(revisioned),
        // The name has a hash of the content.
        ...files.map((url) => ({ url, revision: null })),
      ]),
      TEXTS: JSON.stringify(texts),
    },
  })
}

/** From Vite's manifest: the addresses that the app and its screens need, and those of each language. */
function keptFiles(chunks) {
  const files = new Set()
  const texts = {}
  const seen = new Set()
  const visit = (key) => {
    if (seen.has(key)) return
    seen.add(key)
    const { file, css = [], assets = [], imports = [], dynamicImports = [], src = key } = chunks[key]
    if (LEFT_OUT.test(src)) return
    const language = TRANSLATION.exec(src)?.[1]
    if (language) {
      texts[language] = [
        ...new Set([...(texts[language] ?? []), file, ...imports.map((one) => chunks[one].file)]),
      ]
      return
    }
    for (const name of [file, ...css, ...assets]) if (!RARE_LETTERS.test(name)) files.add(`/${name}`)
    for (const next of [...imports, ...dynamicImports]) visit(next)
  }
  for (const [key, { isEntry }] of Object.entries(chunks)) if (isEntry) visit(key)
  for (const [language, names] of Object.entries(texts))
    texts[language] = names.map((name) => `/${name}`).filter((url) => !files.has(url))
  return { files: [...files].sort(), texts }
}
