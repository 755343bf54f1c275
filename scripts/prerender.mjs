// Writes the public pages into the built web app, rendered in every language: `faq.html`, `fr/faq.html` and so on, as
// static hosts and packages/server/src/http/web-app.ts find them. The file `app.html` stays the empty page for every
// other address of the router, which addresses.json lists, and `404.html` for unknown ones. Where the app will be
// reached is not known yet: `{{origin}}` stands for it unless PUBLIC_URL says it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import sharp from 'sharp'
import { firstStyles } from './first-styles.mjs'

/**
 * The chunks that every screen needs, each after its own dependencies. On the landing the first is fetched before
 * anyone asks; the first three run before a list that is shown without the app (web/app/arrival.ts).
 */
const LIBRARIES = ['react', 'i18n', 'parts', 'router', 'data', 'frame']
/** Additional large libraries of a page's screen. */
const SCREEN_LIBRARIES = { '/auth': ['supabase', 'forms', 'ui'] }

/** The chunks of the list that a page shows without the app, and without the styles of the app. */
const LIST_CHUNKS = { '/browse': ['parts', 'grid', 'tasks'], '/find-taskers': ['parts', 'grid', 'taskers'] }

/** Renders with the program in `.build/prerender` into `web`, the built app. */
export async function prerender({ program, web, origin = '{{origin}}' }) {
  const { addresses, provinceName, renderPages } = await import(
    pathToFileURL(join(program, 'prerender.js')).href
  )
  const manifest = JSON.parse(readFileSync(join(web, '.vite/manifest.json'), 'utf8'))
  const built = readFileSync(join(web, 'index.html'), 'utf8')
  namePlace(join(web, 'manifest.webmanifest'), provinceName)
  const sheet = join(web, STYLESHEET.exec(built)[1])
  const { fonts, css } = withoutFonts(readFileSync(sheet, 'utf8'))
  writeFileSync(sheet, css)
  const template = built.replace(
    STYLESHEET,
    (stylesheet) => `${fontLinks(manifest)}<style>${fonts}</style>\n${stylesheet}`,
  )
  const chunks = Object.values(manifest)
  const fileOf = (library) => `/${chunks.find(({ name }) => name === library).file}`
  const textOf = (chunk) => readFileSync(join(web, fileOf(chunk)), 'utf8')
  const pages = []
  for await (const page of renderPages()) {
    const file = page.path === '/' ? 'index.html' : `${page.path.slice(1)}.html`
    if (page.html.includes('<script'))
      throw new Error(`${page.path} holds a script, which its policy forbids`)
    mkdirSync(dirname(join(web, file)), { recursive: true })
    const libraries = [...LIBRARIES, ...(SCREEN_LIBRARIES[page.page] ?? [])].map(fileOf)
    const scripts = (LIST_CHUNKS[page.page] ?? []).map(textOf).join('\n')
    writeFileSync(
      join(web, file),
      withStyles(filled(template, page, { origin, libraries, provinceName }), css, scripts),
    )
    if (page.manifest && page.language !== 'en') writeManifest(web, page)
    pages.push(page)
  }
  writeFileSync(join(web, 'app.html'), template.replace('</head>', `${CONFIGURATION}</head>`))
  writeFileSync(
    join(web, '404.html'),
    template.replace('</head>', `<meta name="robots" content="noindex" />${CONFIGURATION}</head>`),
  )
  const languages = [...new Set(pages.map(({ language }) => language))].filter((code) => code !== 'en')
  writeFileSync(join(web, 'addresses.json'), JSON.stringify({ languages, addresses }))
  writeFileSync(join(web, 'sitemap.xml'), sitemap(pages, origin))
  writeFileSync(join(web, 'robots.txt'), robots(origin))
  await drawPreview(web)
}

const STYLESHEET = /<link rel="stylesheet"[^>]* href="([^"]+)"[^>]*>/

/** The two fonts of every page, on their way before its styles ask for them. */
const fontLinks = (manifest) =>
  manifest['index.html'].assets
    .filter((file) => /\/(figtree|bricolage-grotesque)-[\w-]{8}\.woff2$/.test(file))
    .map((file) => `<link rel="preload" href="/${file}" as="font" type="font/woff2" crossorigin />\n`)
    .join('')

/**
 * Each page declares the fonts, and the sheet of all styles does not: declared again when the sheet comes, they have the browser
 * lay out the whole page twice.
 */
function withoutFonts(css) {
  const fonts = []
  const rest = css.replace(/@font-face\{[^}]*\}/g, (rule) => {
    fonts.push(rule)
    return ''
  })
  return { fonts: fonts.join(''), css: rest }
}

/** The page with the styles it needs in it; all others come with its script, or without scripts as ever. */
const withStyles = (html, css, scripts) =>
  html.replace(
    STYLESHEET,
    (stylesheet, href) =>
      `<style>${firstStyles(css, html, scripts)}</style>\n<noscript>${stylesheet}</noscript>\n<meta name="styles" content="${href}" />`,
  )

function namePlace(file, provinceName) {
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('{{province}}', provinceName))
}

/** `manifest.fr.webmanifest`: the manifest in that language, the same app whichever it was installed from. */
function writeManifest(web, { language, direction, manifest: { description, shortcuts } }) {
  const english = JSON.parse(readFileSync(join(web, 'manifest.webmanifest'), 'utf8'))
  const own = {
    ...english,
    description,
    lang: language,
    dir: direction,
    shortcuts: english.shortcuts.map((shortcut) => ({ ...shortcut, name: shortcuts[shortcut.url] })),
    // The screenshots show English texts only.
    screenshots: english.screenshots.map(({ label: _, ...screenshot }) => screenshot),
  }
  writeFileSync(join(web, manifestName(language)), JSON.stringify(own))
}

/** As web/i18n/languages.ts has it. */
const manifestName = (language) =>
  language === 'en' ? 'manifest.webmanifest' : `manifest.${language}.webmanifest`

/** The picture of link previews: the bird on paper, 1200 × 630 pixels. */
async function drawPreview(web) {
  const bird = await sharp(join(web, 'favicon.svg'), { density: 600 }).resize(420).png().toBuffer()
  await sharp({ create: { width: 1200, height: 630, channels: 3, background: '#fbf7ee' } })
    .composite([{ input: bird }])
    .png()
    .toFile(join(web, 'og.png'))
}

/** Pages that need the configuration at once have it on its way while their scripts come. */
const CONFIGURATION = '<link rel="preload" href="/config.json" as="fetch" crossorigin="anonymous" />'

function filled(template, page, { origin, libraries, provinceName }) {
  const address = origin + page.path
  const head = [
    `<link rel="canonical" href="${address}" />`,
    ...Object.entries({ ...page.alternates, 'x-default': page.alternates.en }).map(
      ([code, path]) => `<link rel="alternate" hreflang="${code}" href="${origin}${path}" />`,
    ),
    property('og:type', 'website'),
    property('og:site_name', 'Meadowlark'),
    property('og:title', page.title),
    property('og:description', page.description),
    property('og:url', address),
    property('og:locale', page.language),
    property('og:image', `${origin}/og.png`),
    property('og:image:width', '1200'),
    property('og:image:height', '630'),
    '<meta name="twitter:card" content="summary_large_image" />',
    `<script type="application/ld+json">${jsonLd(page, origin, provinceName)}</script>`,
  ]
  return template
    .replace(
      /<html[^>]*>/,
      `<html lang="${page.language}" dir="${page.direction}" data-theme="light" data-page="${page.page}" data-libraries="${libraries.join(' ')}">`,
    )
    .replace(/<title>.*<\/title>/, () => `<title>${escaped(page.title)}</title>`)
    .replace(
      /<meta\s+name="description"[^>]*>/,
      () => `<meta name="description" content="${escaped(page.description)}" />`,
    )
    .replace('/manifest.webmanifest', `/${manifestName(page.language)}`)
    .replace('</head>', () => `${head.join('\n')}\n</head>`)
    .replace(/<div id="root">.*?<\/div>/s, () => `<div id="root">${page.html}</div>`)
}

const property = (name, content) => `<meta property="${name}" content="${escaped(content)}" />`

/** The operator of the site, and for the landing page its search. https://schema.org/WebSite */
function jsonLd({ page, title, description, language, path, questions }, origin, provinceName) {
  const site = { '@type': 'WebSite', '@id': `${origin}/#site`, name: 'Meadowlark', url: `${origin}/` }
  const data =
    page === '/'
      ? {
          ...site,
          description,
          inLanguage: language,
          potentialAction: {
            '@type': 'SearchAction',
            target: `${origin}/browse?search={search_term_string}`,
            'query-input': 'required name=search_term_string',
          },
          publisher: {
            '@type': 'Organization',
            name: 'Meadowlark',
            url: `${origin}/`,
            logo: `${origin}/icon-512.png`,
            areaServed: provinceName,
          },
        }
      : {
          '@type': questions.length > 0 ? 'FAQPage' : 'WebPage',
          name: title,
          description,
          inLanguage: language,
          url: origin + path,
          isPartOf: site,
          breadcrumb: {
            '@type': 'BreadcrumbList',
            itemListElement: [
              {
                '@type': 'ListItem',
                position: 1,
                name: 'Meadowlark',
                item: language === 'en' ? `${origin}/` : `${origin}/${language}`,
              },
              { '@type': 'ListItem', position: 2, name: title.replace(/ · Meadowlark$/, '') },
            ],
          },
          ...(questions.length > 0 && {
            mainEntity: questions.map(({ question, answer }) => ({
              '@type': 'Question',
              name: question,
              acceptedAnswer: { '@type': 'Answer', text: answer },
            })),
          }),
        }
  // `</script>` in a text must not end the element.
  return JSON.stringify({ '@context': 'https://schema.org', ...data }).replaceAll('<', '\\u003c')
}

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function sitemap(pages, origin) {
  const urls = pages.map(({ path, alternates }) => {
    const links = Object.entries(alternates).map(
      ([code, to]) => `<xhtml:link rel="alternate" hreflang="${code}" href="${origin}${to}"/>`,
    )
    return `<url><loc>${origin}${path}</loc>${links.join('')}</url>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${urls.join('\n')}
</urlset>
`
}

function robots(origin) {
  const own = ['/admin', '/bookings', '/dashboard', '/oauth', '/profile$', '/receipt', '/verification']
  return `User-agent: *
${own.map((path) => `Disallow: ${path}`).join('\n')}

Sitemap: ${origin}/sitemap.xml
Sitemap: ${origin}/sitemaps/index.xml
`
}
