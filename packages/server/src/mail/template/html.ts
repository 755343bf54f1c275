// Writes HTML, and escapes each value by its place in the document, as Go's html/template does. Go follows the
// template before it runs; here the output is followed while it is written, so that any template is one that can be
// escaped.
import { Address, Css, type Embedded, JavaScript, plain, srcset } from './embedded.ts'
import { escapeHtml, escapeUnquoted, filterAttributeName } from './escapers.ts'
import type { Output } from './evaluator.ts'
import type { Escaper } from './nodes.ts'
import type { Value } from './values.ts'

type State = 'text' | 'comment' | 'tag' | 'name' | 'afterName' | 'beforeValue' | 'value' | 'body'

/** Attributes that hold addresses. */
const ADDRESSES = new Set(
  `action archive background cite classid codebase data formaction href icon longdesc manifest poster profile src usemap
   xmlns`.split(/\s+/),
)
/** Attributes whose name must not come from a value. */
const UNSAFE_NAMES = new Set(
  `accept-charset async challenge charset content crossorigin defer enctype form formenctype formmethod formnovalidate
   http-equiv keytype language method novalidate pattern rel sandbox srcdoc type value`.split(/\s+/),
)
/** Elements whose content has no tags. */
const SPECIAL_ELEMENTS = ['script', 'style', 'textarea', 'title']

/** Types of a script element whose content is JavaScript or JSON. */
const SCRIPT_TYPE =
  /^(?:module|(?:application|text)\/(?:[\w.+-]*json|(?:x-)?(?:ecma|java|live)script[\d.]*|jscript))$/

type Kind = 'plain' | 'address' | 'srcset' | 'script' | 'style'

function kindOfAttribute(given: string): Kind {
  if (/^xmlns:/.test(given)) return 'address'
  const name = given.replace(/^data-|^[^:]*:/, '')
  if (name === 'style') return 'style'
  if (name === 'srcset') return 'srcset'
  if (ADDRESSES.has(name)) return 'address'
  if (UNSAFE_NAMES.has(name)) return 'plain'
  if (name.startsWith('on')) return 'script'
  return /src|uri|url/.test(name) ? 'address' : 'plain'
}

const isPlainName = (name: string): boolean => kindOfAttribute(name) === 'plain' && !UNSAFE_NAMES.has(name)

const EMBEDDED: Record<Kind, () => Embedded> = {
  plain,
  srcset,
  address: () => new Address(),
  script: () => new JavaScript(),
  style: () => new Css(),
}

/** The end of an attribute's value, by the quotation mark before it. */
const VALUE_ENDS: Record<string, RegExp> = { '"': /"/g, "'": /'/g, '': /[\t\n\f\r >]/g }

export class HtmlOutput implements Output {
  private readonly parts: string[] = []
  length = 0
  private state: State = 'text'
  /** The open tag: of script, style, textarea and title, whose content is no HTML. */
  private element = ''
  private attribute = ''
  /** The quotation mark around the value of an attribute. */
  private quote = ''
  private readonly plain = plain()
  private embedded = this.plain

  toString(): string {
    return this.parts.join('')
  }

  private write(text: string): void {
    this.parts.push(text)
    this.length += text.length
  }

  text(text: string): void {
    let position = 0
    while (position < text.length) {
      position = this.readers[this.state](text, position)
    }
  }

  value(value: Value, escapedBy: Escaper | null): void {
    // A value in a tag is the name of an attribute, and one after `=` the beginning of its value.
    if (this.state === 'tag' || this.state === 'afterName') this.beginName('')
    if (this.state === 'beforeValue') this.beginValue('')
    if (this.state === 'comment') return
    if (this.state === 'name') {
      const name = filterAttributeName(this.plain.escape(value, escapedBy), isPlainName)
      this.attribute += name
      this.write(name)
      return
    }
    if (this.state === 'text') this.embedded = this.plain
    const isRaw = this.state === 'body' && this.element in BODIES
    // Avoids escaping as HTML twice.
    const text = this.embedded.escape(value, escapedBy === 'html' && !isRaw ? null : escapedBy)
    if (isRaw) this.write(text)
    else this.write(this.state === 'value' ? this.inAttribute(text) : escapeHtml(text))
  }

  private inAttribute(text: string): string {
    const escaped = this.quote ? escapeHtml(text) : escapeUnquoted(text)
    // The value of srcdoc is HTML again.
    return this.attribute === 'srcdoc' ? escapeHtml(escaped) : escaped
  }

  /** For each state: follows the text from a position on, writes it, and returns where the next state begins. */
  private readonly readers: Record<State, (text: string, from: number) => number> = {
    text: (text, from) => this.readText(text, from),
    comment: (text, from) => {
      const end = text.indexOf('-->', from)
      if (end < 0) return text.length
      this.state = 'text'
      return end + 3
    },
    tag: (text, from) => this.readTag(text, from),
    name: (text, from) => {
      const end = endOf(text, from, /[\t\n\f\r =>]/g)
      this.attribute += text.slice(from, end).toLowerCase()
      if (end < text.length) this.state = 'afterName'
      return this.copy(text, from, end)
    },
    afterName: (text, from) => {
      const end = endOf(text, from, /[^\t\n\f\r ]/g)
      if (end === text.length) return this.copy(text, from, end)
      this.state = text[end] === '=' ? 'beforeValue' : 'tag'
      return this.copy(text, from, text[end] === '=' ? end + 1 : end)
    },
    beforeValue: (text, from) => {
      const start = endOf(text, from, /[^\t\n\f\r ]/g)
      if (start === text.length) return this.copy(text, from, start)
      const first = text[start] as string
      const quote = first === '"' || first === "'" ? first : ''
      this.beginValue(quote)
      return this.copy(text, from, start + quote.length)
    },
    value: (text, from) => this.readValue(text, from),
    body: (text, from) => this.readBody(text, from),
  }

  private copy(text: string, from: number, to: number): number {
    this.write(text.slice(from, to))
    return to
  }

  private beginName(name: string): void {
    this.state = 'name'
    this.attribute = name
  }

  private beginValue(quote: string): void {
    this.state = 'value'
    this.quote = quote
    this.embedded = EMBEDDED[kindOfAttribute(this.attribute)]()
  }

  private readText(text: string, from: number): number {
    const start = text.indexOf('<', from)
    if (start < 0) return this.copy(text, from, text.length)
    this.write(text.slice(from, start))
    if (text.startsWith('<!--', start)) {
      this.state = 'comment'
      return start + 4
    }
    const tag = /<(\/?)([a-z](?:[a-z\d]|[:-](?=[a-z\d]))*)|<!doctype/iy
    tag.lastIndex = start
    const [found, slash, name] = tag.exec(text) ?? []
    if (found === undefined) {
      // It begins no tag, and must not begin one together with the next text.
      this.write('&lt;')
      return start + 1
    }
    this.write(found)
    if (name) {
      this.state = 'tag'
      this.element = slash ? '' : name.toLowerCase()
    }
    return tag.lastIndex
  }

  private readTag(text: string, from: number): number {
    const start = endOf(text, from, /[^\t\n\f\r ]/g)
    this.write(text.slice(from, start))
    if (start === text.length) return start
    if (text[start] !== '>') {
      // A name may begin with the sign that ends others.
      const end = text[start] === '=' ? start + 1 : start
      this.beginName(text.slice(start, end))
      return this.copy(text, start, end)
    }
    const isSpecial = SPECIAL_ELEMENTS.includes(this.element)
    this.state = isSpecial ? 'body' : 'text'
    if (isSpecial) this.embedded = BODIES[this.element]?.() ?? plain()
    return this.copy(text, start, start + 1)
  }

  private readValue(text: string, from: number): number {
    const end = endOf(text, from, VALUE_ENDS[this.quote] as RegExp)
    const value = text.slice(from, end)
    this.embedded.advance(decodeEntities(value))
    if (end === text.length) return this.copy(text, from, end)
    const isOtherScript = this.element === 'script' && this.attribute === 'type'
    if (isOtherScript && !SCRIPT_TYPE.test(value.trim().toLowerCase().split(';')[0] as string)) {
      this.element = ''
    }
    this.state = 'tag'
    return this.copy(text, from, end + this.quote.length)
  }

  private readBody(text: string, from: number): number {
    const close = new RegExp(`</${this.element}(?=[>\\s/])`, 'gi')
    const end = endOf(text, from, close)
    const body = text.slice(from, end)
    this.embedded.advance(body)
    const isText = this.element === 'title' || this.element === 'textarea'
    this.write(isText ? body.replaceAll('<', '&lt;') : body)
    if (end < text.length) this.state = 'text'
    return end
  }
}

const BODIES: Record<string, () => Embedded> = {
  script: () => new JavaScript(),
  style: () => new Css(),
}

/** Where the pattern is found, or the end of the text. */
function endOf(text: string, from: number, pattern: RegExp): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  num: '#',
  quest: '?',
  sol: '/',
  nbsp: '\u00a0',
}

/** The entities that matter to the grammars of attributes. */
const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w+));?/g, (entity, decimal, hex, name) => {
    if (name) return ENTITIES[name] ?? entity
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity
  })
