// Splits a template into text and actions, and actions into tokens (https://pkg.go.dev/text/template).
import { TemplateError, type Value } from './values.ts'

export type Token = {
  /** A field is `.Name`, a variable `$` or `$name`; a symbol is one of `. ( ) | , = :=`. */
  type: 'identifier' | 'keyword' | 'field' | 'variable' | 'symbol' | 'literal'
  text: string
  /** Of a literal. */
  value?: Value
  line: number
  /** Whether white space comes before it: it separates arguments. */
  spaced: boolean
}

export type Segment = { text: string } | { tokens: Token[]; line: number }

const KEYWORDS = new Set(
  'if else end range with define block template nil true false break continue'.split(' '),
)

const SPACE = /[ \t\r\n]+/y
const PATTERNS: [Token['type'], RegExp][] = [
  ['literal', /"(?:[^"\\\n]|\\[^\n])*"|`[^`]*`|'(?:[^'\\\n]|\\[^\n])+'/y],
  [
    'literal',
    /[+-]?(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?)/y,
  ],
  ['field', /\.[\p{L}_][\p{L}\p{Nd}_]*/uy],
  ['variable', /\$[\p{L}\p{Nd}_]*/uy],
  ['identifier', /[\p{L}_][\p{L}\p{Nd}_]*/uy],
  ['symbol', /:=|[.()|,=]/y],
]

/** Throws a TemplateError for an action that is not closed and for characters that no token has. */
export function tokenize(source: string): Segment[] {
  const segments: Segment[] = []
  const lineAt = lineCounter(source)
  let position = 0
  let trimNext = false
  for (;;) {
    const start = source.indexOf('{{', position)
    let text = source.slice(position, start < 0 ? undefined : start)
    if (trimNext) text = text.replace(/^[ \t\r\n]+/, '')
    if (start < 0) {
      if (text) segments.push({ text })
      return segments
    }
    const trims = /^-[ \t\r\n]/.test(source.slice(start + 2, start + 4))
    if (trims) text = trimEnd(text)
    if (text) segments.push({ text })
    const line = lineAt(start)
    const inside = start + 2 + (trims ? 2 : 0)
    const action = source.startsWith('/*', inside)
      ? { tokens: null, ...skipComment(source, inside, line) }
      : readAction(source, inside, lineAt)
    if (action.tokens) segments.push({ tokens: action.tokens, line })
    position = action.end
    trimNext = action.trims
  }
}

/** Without a regular expression, which would take quadratic time for long runs of spaces. */
function trimEnd(text: string): string {
  let end = text.length
  while (end > 0 && ' \t\r\n'.includes(text[end - 1] as string)) end--
  return text.slice(0, end)
}

/** The line of a position; positions only grow. */
function lineCounter(source: string): (position: number) => number {
  let line = 1
  let counted = 0
  return (position) => {
    for (; counted < position; counted++) if (source[counted] === '\n') line++
    return line
  }
}

function skipComment(source: string, from: number, line: number): { end: number; trims: boolean } {
  const close = source.indexOf('*/', from + 2)
  if (close < 0) throw new TemplateError(`line ${line}: the comment is not closed with */}}`)
  const after = source.slice(close + 2, close + 6)
  if (after.startsWith('}}')) return { end: close + 4, trims: false }
  if (/^[ \t\r\n]-\}\}/.test(after)) return { end: close + 6, trims: true }
  throw new TemplateError(`line ${line}: the comment must end with */}}`)
}

function readAction(source: string, from: number, lineAt: (position: number) => number) {
  const tokens: Token[] = []
  const line = lineAt(from)
  let position = from
  for (;;) {
    SPACE.lastIndex = position
    const spaced = SPACE.test(source)
    if (spaced) position = SPACE.lastIndex
    if (spaced && source.startsWith('-}}', position)) return { tokens, end: position + 3, trims: true }
    if (source.startsWith('}}', position)) return { tokens, end: position + 2, trims: false }
    if (position >= source.length) {
      throw new TemplateError(`line ${line}: "${quote(source.slice(from - 2))}" is not closed with }}`)
    }
    const token = readToken(source, position, lineAt(position), spaced)
    tokens.push(token)
    position += token.text.length
  }
}

function readToken(source: string, position: number, line: number, spaced: boolean): Token {
  for (const [type, pattern] of PATTERNS) {
    pattern.lastIndex = position
    const text = pattern.exec(source)?.[0]
    if (text === undefined) continue
    if (type === 'literal') {
      if (/^[\d.+-]/.test(text) && /[\p{L}\p{Nd}_]/u.test(source[position + text.length] ?? '')) break
      return { type, text, value: literalOf(text, line), line, spaced }
    }
    return { type: KEYWORDS.has(text) ? 'keyword' : type, text, line, spaced }
  }
  throw new TemplateError(`line ${line}: "${quote(source.slice(position))}" is not understood`)
}

/** The beginning of some source, for a message. */
const quote = (source: string): string =>
  `${source.slice(0, 20).split('\n')[0]}${source.length > 20 ? '…' : ''}`

function literalOf(text: string, line: number): Value {
  if (text.startsWith('`')) return text.slice(1, -1).replaceAll('\r', '')
  if (text.startsWith('"')) return unescaped(text.slice(1, -1), line)
  if (text.startsWith("'")) {
    const [character, ...more] = unescaped(text.slice(1, -1), line)
    if (character === undefined || more.length > 0) {
      throw new TemplateError(`line ${line}: ${text} must be one character`)
    }
    return BigInt(character.codePointAt(0) as number)
  }
  return numberOf(text.replaceAll('_', ''), line)
}

function numberOf(text: string, line: number): Value {
  const [, sign, digits] = /^([+-]?)(.*)$/.exec(text) as unknown as [string, string, string]
  if (/^(0[xXbBoO])?[\da-fA-F]+$/.test(digits) && (/^0[xX]/.test(digits) || !/[eE]/.test(digits))) {
    // A leading zero makes a number octal in Go.
    const octal = /^0\d/.test(digits)
    if (octal && /[89]/.test(digits)) throw new TemplateError(`line ${line}: ${text} is no number`)
    const whole = BigInt(octal ? `0o${digits}` : digits)
    if (whole >= 2n ** 63n) throw new TemplateError(`line ${line}: ${text} is too large`)
    return sign === '-' ? -whole : whole
  }
  const number = Number(text)
  if (!Number.isFinite(number)) throw new TemplateError(`line ${line}: ${text} is no number`)
  return number
}

const ESCAPES: Record<string, string> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
  "'": "'",
}

function unescaped(text: string, line: number): string {
  const pattern = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|(.))/gs
  return text.replace(pattern, (found, byte, short, long, octal, name) => {
    const code = octal ? Number.parseInt(octal, 8) : Number.parseInt(byte ?? short ?? long ?? '', 16)
    const character = name === undefined ? fromCodePoint(code) : ESCAPES[name]
    if (character === undefined) throw new TemplateError(`line ${line}: ${found} is no escape sequence`)
    return character
  })
}

const fromCodePoint = (code: number): string | undefined =>
  code <= 0x10ffff ? String.fromCodePoint(code) : undefined
