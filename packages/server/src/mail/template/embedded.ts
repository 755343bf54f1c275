// Languages inside of HTML: addresses, JavaScript and CSS. Each follows the template's text, so that it knows where a
// value is placed and how to write it there.
import {
  escapeCssString,
  escapeHtml,
  escapeQuery,
  escapeRegularExpression,
  escapeScriptString,
  escapeUrl,
  filterCss,
  filterSrcset,
  filterUrl,
  normalizeUrl,
} from './escapers.ts'
import { textOf } from './functions.ts'
import type { Escaper } from './nodes.ts'
import { kindOf, TemplateError, type Value } from './values.ts'

export interface Embedded {
  /** Follows the template's text. */
  advance(text: string): void
  /** The value as it is written here, without the escaping of the HTML around it; `escapedBy` is applied, too. */
  escape(value: Value, escapedBy: Escaper | null): string
}

/** A missing value and null are written as nothing. */
export const shown = (value: Value): string => (kindOf(value) === 'nil' ? '' : textOf([value]))

/** The text of a value, escaped as the template itself asks. */
const textAsAsked = (value: Value, escapedBy: Escaper | null): string => {
  const text = shown(value)
  return escapedBy ? ESCAPERS[escapedBy](text) : text
}

const ESCAPERS: Record<Escaper, (text: string) => string> = { html: escapeHtml, urlquery: escapeQuery }

export const plain = (): Embedded => ({ advance() {}, escape: textAsAsked })

export const srcset = (): Embedded => ({
  advance() {},
  escape: (value, escapedBy) => filterSrcset(textAsAsked(value, escapedBy)),
})

export class Address implements Embedded {
  private part: 'start' | 'path' | 'query' = 'start'

  advance(text: string): void {
    if (/[#?]/.test(text)) this.part = 'query'
    else if (this.part === 'start' && /\S/.test(text)) this.part = 'path'
  }

  escape(value: Value, escapedBy: Escaper | null): string {
    const safe = this.filter(textAsAsked(value, escapedBy === 'html' ? 'html' : null))
    if (escapedBy === 'urlquery') return escapeQuery(safe)
    return this.part === 'query' ? escapeUrl(safe) : normalizeUrl(safe)
  }

  /** Escaped for a string of CSS, which may hold an address. */
  escapeInString(value: Value, escapedBy: Escaper | null): string {
    const safe = this.filter(textAsAsked(value, escapedBy))
    return this.part === 'query' ? escapeUrl(safe) : escapeCssString(safe)
  }

  /** The beginning of an address must not be a scheme that runs something. */
  private filter(text: string): string {
    return this.part === 'start' ? filterUrl(text) : text
  }
}

/** Words after which a slash begins a regular expression. */
const BEFORE_EXPRESSION =
  /(?:^|[^\w$])(?:break|case|continue|delete|do|else|finally|in|instanceof|return|throw|try|typeof|void)$/

/** Whether a slash after this code divides; null where the code is only white space. */
function divides(code: string): boolean | null {
  const last = code.trimEnd().at(-1)
  if (last === undefined) return null
  const text = code.trimEnd()
  if (last === '+' || last === '-') return (/(?:\++|-+)$/.exec(text)?.[0].length ?? 0) % 2 === 0
  if (last === '.') return /\d\.$/.test(text)
  if (',<>=*%&|^?!~([:;{}'.includes(last)) return false
  return !BEFORE_EXPRESSION.test(text.slice(-20))
}

type ScriptState = 'code' | '"' | "'" | '`' | 'expression' | 'class' | '//' | '/*'

export class JavaScript implements Embedded {
  private state: ScriptState = 'code'
  private slashDivides = false

  advance(text: string): void {
    let position = 0
    while (position < text.length) position = this.read(text, position)
  }

  /** Follows one token of the text, and returns where it ends. */
  private read(text: string, from: number): number {
    if (this.state === 'code') return this.readCode(text, from)
    const end = { '//': /[\n\r\u2028\u2029]/g, '/*': /\*\//g }[this.state as string]
    const pattern = end ?? (/^(?:expression|class)$/.test(this.state) ? /\\.?|[/[\]]/gs : /\\.?|["'`]/gs)
    pattern.lastIndex = from
    const found = pattern.exec(text)?.[0]
    if (found === undefined) return text.length
    if (found === '\\') throw new TemplateError('a backslash before a value in a script')
    if (end) this.state = 'code'
    else if (this.state === 'expression' && found === '[') this.state = 'class'
    else if (this.state === 'class' && found === ']') this.state = 'expression'
    else if (found === this.state || (this.state === 'expression' && found === '/')) {
      this.state = 'code'
      this.slashDivides = true
    }
    return pattern.lastIndex
  }

  private readCode(text: string, from: number): number {
    const special = /["'`]|\/[/*]?/g
    special.lastIndex = from
    const found = special.exec(text)
    const code = text.slice(from, found?.index)
    this.slashDivides = divides(code) ?? this.slashDivides
    if (!found) return text.length
    const [token] = found
    if (token !== '/') this.state = token as ScriptState
    else if (!this.slashDivides) this.state = 'expression'
    this.slashDivides = false
    return special.lastIndex
  }

  escape(value: Value, escapedBy: Escaper | null): string {
    switch (this.state) {
      case '//':
      case '/*':
        return ''
      case '`':
        throw new TemplateError('a value cannot be used in a template literal of a script')
      case '"':
      case "'":
        return escapeScriptString(textAsAsked(value, escapedBy))
      case 'expression':
      case 'class':
        return escapeRegularExpression(textAsAsked(value, escapedBy))
    }
    this.slashDivides = true
    return literal(escapedBy ? textAsAsked(value, escapedBy) : value)
  }
}

/** A literal of JavaScript and JSON; numbers and words are separated from adjacent characters. */
function literal(value: Value): string {
  const json = JSON.stringify(value ?? null, (_, each) => (typeof each === 'bigint' ? Number(each) : each))
  const escaped = json.replace(
    /[<>&\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return /^[\w$]|[\w$]$/.test(escaped) ? ` ${escaped} ` : escaped
}

type StyleState = 'code' | '"' | "'" | 'url' | 'url"' | "url'" | '//' | '/*'

export class Css implements Embedded {
  private state: StyleState = 'code'
  private address = new Address()

  advance(text: string): void {
    let position = 0
    while (position < text.length) position = this.read(text, position)
  }

  private read(text: string, from: number): number {
    if (this.state === 'code') return this.readCode(text, from)
    const comment = { '//': /[\n\f\r]/g, '/*': /\*\//g }[this.state as string]
    const end = comment ?? (this.state === 'url' ? /\\.?|[ \t\n\f\r)]/gs : /\\.?|["']/gs)
    end.lastIndex = from
    const found = end.exec(text)
    if (!comment) this.address.advance(text.slice(from, found?.index))
    if (!found) return text.length
    if (found[0] === '\\') throw new TemplateError('a backslash before a value in a style')
    const isEnd = comment || this.state === 'url' || found[0] === this.state.at(-1)
    if (isEnd && !found[0].startsWith('\\')) this.state = 'code'
    return end.lastIndex
  }

  private readCode(text: string, from: number): number {
    const special = /(?<![\w-])url\([ \t\n\f\r]*["']?|["']|\/[/*]/gi
    special.lastIndex = from
    const [found] = special.exec(text) ?? []
    if (found === undefined) return text.length
    this.address = new Address()
    const quote = /["']$/.exec(found)?.[0] ?? ''
    this.state = (/^url/i.test(found) ? `url${quote}` : found) as StyleState
    return special.lastIndex
  }

  escape(value: Value, escapedBy: Escaper | null): string {
    switch (this.state) {
      case '//':
      case '/*':
        return ''
      case 'code':
        return filterCss(textAsAsked(value, escapedBy))
      case '"':
      case "'":
        return this.address.escapeInString(value, escapedBy)
      default:
        return this.address.escape(value, escapedBy)
    }
  }
}
