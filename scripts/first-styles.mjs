// The styles that a page needs as it was built: those of all the app without what no element of it asks for. They are
// inlined in the page, so that it is painted before anything else has loaded; all styles follow (web/app/styles.ts).
import { transform } from 'lightningcss'

/**
 * The rules of `css` whose classes occur in `html` or as a word in `scripts`, which draw more before all styles load.
 * Also the rules that name no class.
 */
export function firstStyles(css, html, scripts) {
  const classes = new Set([
    ...[...html.matchAll(/ class="([^"]*)"/g)].flatMap(([, names]) => unescaped(names).split(/\s+/)),
    ...scripts.split(/[\s"'`]+/),
  ])
  const applies = (selector) => selector.every(({ type, name }) => type !== 'class' || classes.has(name))
  const { code } = transform({
    filename: 'first.css',
    code: Buffer.from(css),
    minify: true,
    visitor: {
      Rule: {
        style: (rule) => (rule.value.selectors.some(applies) ? undefined : []),
      },
    },
  })
  return code.toString()
}

const unescaped = (text) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&')
