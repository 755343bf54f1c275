// How a value is written in the languages of an HTML document, as Go's html/template does
// (https://pkg.go.dev/html/template#hdr-Contexts).

/** Replaces a value that cannot be written safely, as in Go; can be searched for. */
const UNSAFE = 'ZgotmplZ'

const replace = (text: string, pattern: RegExp, table: Record<string, string>): string =>
  text.replace(pattern, (character) => table[character] as string)

const HTML = {
  '\0': '\ufffd',
  '"': '&#34;',
  '&': '&amp;',
  "'": '&#39;',
  '+': '&#43;',
  '<': '&lt;',
  '>': '&gt;',
}

/** In text and in attributes with quotation marks. */
export const escapeHtml = (text: string): string => replace(text, /[\0"&'+<>]/g, HTML)

const UNQUOTED = {
  ...HTML,
  '\0': '&#xfffd;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\v': '&#11;',
  '\f': '&#12;',
  '\r': '&#13;',
  ' ': '&#32;',
  '=': '&#61;',
  '`': '&#96;',
}

/** In attributes without quotation marks. An empty value would make the next attribute this one's value. */
export const escapeUnquoted = (text: string): string =>
  text === '' ? UNSAFE : replace(text, /[\0\t\n\v\f\r "&'+<=>`]/g, UNQUOTED)

const percent = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

/** Inside a URL's query or fragment: everything but alphanumerics and `-._~` percent-encoded. */
export const escapeUrl = (text: string): string => text.replace(/[^\w.~-]+/g, percent)

/** A URL or a part of its path: unchanged, except characters that are invalid there. */
export const normalizeUrl = (text: string): string =>
  text.replace(/%(?![\da-fA-F]{2})|[^\w.~%!#$&*+,/:;=?@[\]-]+/g, percent)

/** A URL of a scheme that mail programs may open, or without one. */
export const filterUrl = (url: string): string => (hasSafeScheme(url) ? url : `#${UNSAFE}`)

function hasSafeScheme(url: string): boolean {
  const scheme = /^[^:/]*(?=:)/.exec(url)?.[0]
  return scheme === undefined || /^(?:https?|mailto)$/i.test(scheme)
}

/** The function `urlquery`, Go's url.QueryEscape. */
export const escapeQuery = (text: string): string =>
  escapeUrl(text).replace(/%20|%[\da-f]{2}/g, (found) => (found === '%20' ? '+' : found.toUpperCase()))

/** The images of a srcset with safe addresses; others are replaced. */
export const filterSrcset = (text: string): string =>
  text
    .split(',')
    .map((part) => {
      const [, before = '', url = '', rest = ''] = /^([ \t\n\f\r]*)([^ \t\n\f\r]*)(.*)$/s.exec(part) ?? []
      if (!hasSafeScheme(url) || /[^ \t\n\f\r\w]|_/.test(rest)) return `#${UNSAFE}`
      return before + normalizeUrl(url) + rest
    })
    .join(',')

const hexEscape = (character: string): string =>
  `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}`
const JAVASCRIPT: Record<string, string> = {
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  '/': '\\/',
  '\\': '\\\\',
}

/** Inside a string literal of JavaScript or JSON. */
export const escapeScriptString = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not pass
  text.replace(/[\0-\x1f"&'+/<>\\`\u2028\u2029]/g, (found) => JAVASCRIPT[found] ?? hexEscape(found))

/**
 * Inside a regular expression of JavaScript, where the value matches literally. An empty one must not make a comment.
 */
export const escapeRegularExpression = (text: string): string =>
  text === ''
    ? '(?:)'
    : // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not pass
      text.replace(/[\0-\x1f"$&'()*+./<>?[\\\]^`{|}\u2028\u2029-]/g, (found) =>
        /[$()*./?[\\\]^{|}-]/.test(found) ? `\\${found}` : (JAVASCRIPT[found] ?? hexEscape(found)),
      )

/** The function `js`. */
export const escapeJavaScript = (text: string): string =>
  text.replace(/[\p{C}"&'<=>\\]|(?! )\p{Z}/gu, (found) => {
    if (/["'\\]/.test(found)) return `\\${found}`
    return `\\u${(found.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`
  })

/** Inside a string of CSS. */
export const escapeCssString = (text: string): string =>
  text.replace(/[\0\t\n\f\r"&'()+/:;<>\\{}](?=(.)?)/gs, (found, next = '') => {
    if (found === '\\') return '\\\\'
    const code = `\\${(found.codePointAt(0) as number).toString(16)}`
    return next === '' || /[\da-fA-F \t\n\f\r]/.test(next) ? `${code} ` : code
  })

/** A value of CSS: keywords, numbers, colours and names; anything that could end it is replaced. */
export function filterCss(text: string): string {
  const decoded = text.replace(/\\(?:([\da-fA-F]{1,6})(?:\r\n|[ \t\n\f\r])?|(.))/gs, (_, hex, other) =>
    hex === undefined ? other : characterOf(Number.parseInt(hex, 16)),
  )
  if (/[\0"'()/;@[\\\]`{}<>]|--/.test(decoded)) return UNSAFE
  const name = decoded.replace(/[^\w-]/g, '').toLowerCase()
  return /expression|mozbinding/.test(name.replaceAll('-', '')) ? UNSAFE : decoded
}

const characterOf = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '\0')

/** A name of an attribute without a meaning that could run anything. */
export const filterAttributeName = (name: string, isPlain: (name: string) => boolean): string => {
  const lower = name.toLowerCase()
  return /^[a-z0-9]+$/.test(lower) && isPlain(lower) ? lower : UNSAFE
}
