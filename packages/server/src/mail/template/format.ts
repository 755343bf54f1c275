// Values as text, as Go's package fmt writes them (https://pkg.go.dev/fmt): what `print`, `printf` and `println` need.
import { kindOf, sortedKeys, typeName, type Value } from './values.ts'

/** Longer widths and precisions are refused; the data of a stranger may hold them. */
const MAX_WIDTH = 1000
/** Characters after which `printf` writes no more values. */
const MAX_CHARACTERS = 2_000_000

/** Without a precision, numbers of a million and more are written with an exponent. */
const LARGE_EXPONENT = 6

type Flags = {
  minus: boolean
  plus: boolean
  sharp: boolean
  space: boolean
  zero: boolean
  width: number
  /** Null where none was given. */
  precision: number | null
}

const NO_FLAGS: Flags = {
  minus: false,
  plus: false,
  sharp: false,
  space: false,
  zero: false,
  width: 0,
  precision: null,
}

/** The value as `%v` writes it. */
export const formatValue = (value: Value): string => formatted(value, 'v', NO_FLAGS)

/** The arguments as `print` writes them: a space between two of which neither is a string. */
export function sprint(values: readonly Value[]): string {
  let out = ''
  values.forEach((value, index) => {
    const before = values[index - 1]
    if (index > 0 && typeof value !== 'string' && typeof before !== 'string') out += ' '
    out += formatValue(value)
  })
  return out
}

/** The arguments as `printf` writes them; what does not fit is written as Go does, such as `%!d(string=hi)`. */
export function sprintf(format: string, values: readonly Value[]): string {
  const directive = /%([-+# 0]*)(?:\[(\d+)\])?(\*|\d+)?(?:(\.)(?:\[(\d+)\])?(\*|\d+)?)?(?:\[(\d+)\])?(.)?/gsu
  let next = 0
  let written = 0
  let isReordered = false
  const seek = (index: string | undefined) => {
    if (index === undefined) return
    next = Number(index) - 1
    isReordered = true
  }
  const count = (text: string | undefined): number | string => {
    const given = text === '*' ? values[next++] : Number(text ?? 0)
    const number = typeof given === 'bigint' ? Number(given) : given
    return typeof number === 'number' && Math.abs(number) <= MAX_WIDTH ? number : '%!(BADWIDTH)'
  }
  const out = format.replace(
    directive,
    (_, given, widthIndex, widthText, point, precisionIndex, precisionText, index, verb) => {
      if (verb === undefined) return '%!(NOVERB)'
      seek(widthIndex)
      const width = count(widthText)
      seek(precisionIndex)
      const precision = point ? count(precisionText) : null
      seek(index)
      if (typeof width === 'string') return width
      if (typeof precision === 'string') return '%!(BADPREC)'
      if (verb === '%') return '%'
      if (next < 0 || next >= values.length) return `%!${verb}(${index ? 'BADINDEX' : 'MISSING'})`
      if (written > MAX_CHARACTERS) return ''
      const text = formatted(values[next++], verb, {
        minus: given.includes('-') || width < 0,
        plus: given.includes('+'),
        sharp: given.includes('#'),
        space: given.includes(' '),
        zero: given.includes('0'),
        width: Math.abs(width),
        precision,
      })
      written += text.length
      return text
    },
  )
  if (isReordered || next >= values.length) return out
  const extra = values.slice(next).map((value) => (kindOf(value) === 'nil' ? '<nil>' : typed(value)))
  return `${out}%!(EXTRA ${extra.join(', ')})`
}

const typed = (value: Value): string => `${typeName(value)}=${formatValue(value)}`

const unfit = (value: Value, verb: string): string =>
  kindOf(value) === 'nil' ? `%!${verb}(<nil>)` : `%!${verb}(${typed(value)})`

function formatted(value: Value, verb: string, flags: Flags): string {
  if (verb === 'T') return padded(typeName(value), flags)
  if (value === null || value === undefined) return verb === 'v' ? padded('<nil>', flags) : unfit(value, verb)
  if (Array.isArray(value)) {
    const parts = value.map((each) => formattedPart(each, verb, flags))
    return verb === 'v' && flags.sharp ? `[]interface {}{${parts.join(', ')}}` : `[${parts.join(' ')}]`
  }
  switch (typeof value) {
    case 'boolean':
      return verb === 't' || verb === 'v' ? padded(String(value), flags) : unfit(value, verb)
    case 'bigint':
      return formattedInteger(value, verb, flags)
    case 'number':
      return formattedFloat(value, verb, flags)
    case 'string':
      return formattedString(value, verb, flags)
  }
  const parts = sortedKeys(value).map((key) => {
    const name = formatted(key, verb, flags)
    return `${name}:${formattedPart(value[key], verb, flags)}`
  })
  return verb === 'v' && flags.sharp
    ? `map[string]interface {}{${parts.join(', ')}}`
    : `map[${parts.join(' ')}]`
}

/** A part of a list or map: nil is written so whatever the verb. */
const formattedPart = (value: Value, verb: string, flags: Flags): string =>
  kindOf(value) === 'nil' ? padded('<nil>', flags) : formatted(value, verb, flags)

function formattedString(value: string, verb: string, flags: Flags): string {
  const characters = [...value]
  const cut = flags.precision === null ? value : characters.slice(0, flags.precision).join('')
  switch (verb) {
    case 'v':
      return padded(flags.sharp ? quoted(cut) : cut, flags)
    case 's':
      return padded(cut, flags)
    case 'q':
      return padded(flags.sharp && !cut.includes('`') ? `\`${cut}\`` : quoted(cut), flags)
    case 'x':
    case 'X': {
      const hex = Buffer.from(value)
        .toString('hex')
        .replace(/..(?=.)/g, flags.space ? '$& ' : '$&')
      return padded(verb === 'X' ? hex.toUpperCase() : hex, flags)
    }
    default:
      return unfit(value, verb)
  }
}

const RADIXES: Record<string, [radix: number, prefix: string]> = {
  v: [10, ''],
  d: [10, ''],
  b: [2, '0b'],
  o: [8, '0'],
  O: [8, '0o'],
  x: [16, '0x'],
  X: [16, '0X'],
}

function formattedInteger(value: bigint, verb: string, flags: Flags): string {
  if (verb === 'c' || verb === 'q' || verb === 'U') {
    const isCharacter = value >= 0n && value <= 0x10ffffn
    const character = isCharacter ? String.fromCodePoint(Number(value)) : '\ufffd'
    if (verb === 'U') return padded(`U+${value.toString(16).toUpperCase().padStart(4, '0')}`, flags)
    return padded(verb === 'c' ? character : quoted(character, "'"), flags)
  }
  const [radix, prefix] = RADIXES[verb] ?? []
  if (radix === undefined) return unfit(value, verb)
  const size = (value < 0n ? -value : value).toString(radix)
  const digits = (verb === 'X' ? size.toUpperCase() : size).padStart(flags.precision ?? 0, '0')
  const mark = verb === 'O' || flags.sharp ? prefix : ''
  return paddedNumber(`${mark}${digits}`, value < 0n, {
    ...flags,
    zero: flags.zero && flags.precision === null,
  })
}

function formattedFloat(value: number, verb: string, flags: Flags): string {
  const write = FLOATS[verb]
  if (!write) return unfit(value, verb)
  if (!Number.isFinite(value))
    return paddedNumber(String(Math.abs(value)), value < 0, { ...flags, zero: false })
  const digits = write(Math.abs(value), flags.precision)
  return paddedNumber(digits, value < 0 || Object.is(value, -0), flags)
}

const FLOATS: Record<string, (value: number, precision: number | null) => string> = {
  v: shortest,
  g: shortest,
  G: (value, precision) => shortest(value, precision).toUpperCase(),
  e: (value, precision) => withExponent(value.toExponential(Math.min(precision ?? 6, 100))),
  E: (value, precision) => withExponent(value.toExponential(Math.min(precision ?? 6, 100))).toUpperCase(),
  f: (value, precision) => fixed(value, precision ?? 6),
  F: (value, precision) => fixed(value, precision ?? 6),
}

/** `toFixed` writes exponents for numbers of 1e21 or larger, all of which are whole. */
const fixed = (value: number, precision: number): string =>
  value < 1e21
    ? value.toFixed(Math.min(precision, 100))
    : `${BigInt(value)}${precision > 0 ? `.${'0'.repeat(precision)}` : ''}`

/** As few digits as tell the number from others, or `precision` many; an exponent for the very small and the large. */
function shortest(value: number, precision: number | null): string {
  const largest = precision === null ? LARGE_EXPONENT : Math.max(precision, 1)
  const scientific =
    precision === null
      ? value.toExponential()
      : value.toExponential(Math.min(Math.max(precision, 1) - 1, 100))
  const [mantissa = '', exponent = '0'] = scientific.split('e')
  const digits = mantissa.replace('.', '').replace(/(?<=.)0+$/, '')
  const power = Number(exponent)
  if (power < -4 || power >= largest) {
    return withExponent(`${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ''}e${exponent}`)
  }
  if (power < 0) return `0.${'0'.repeat(-power - 1)}${digits}`
  const whole = digits.slice(0, power + 1).padEnd(power + 1, '0')
  const rest = digits.slice(power + 1)
  return rest ? `${whole}.${rest}` : whole
}

/** Exponents have two digits at least. */
const withExponent = (text: string): string => text.replace(/e([+-])(\d)$/, 'e$10$2')

/** A text in double quotes (or, of a character, `quote`) with Go's escapes. */
function quoted(text: string, quote = '"'): string {
  const names: Record<string, string> = {
    '\x07': '\\a',
    '\b': '\\b',
    '\f': '\\f',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\v': '\\v',
    '\\': '\\\\',
    [quote]: `\\${quote}`,
  }
  const escaped = (character: string) => {
    const code = character.codePointAt(0) as number
    const hex = code.toString(16)
    if (names[character]) return names[character]
    if (code < 0x80) return `\\x${hex.padStart(2, '0')}`
    return code > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`
  }
  const other = quote === '"' ? "'" : '"'
  const special = /[\p{C}\\"']|(?! )\p{Z}/gu
  return `${quote}${text.replace(special, (found) => (found === other ? found : escaped(found)))}${quote}`
}

function padded(text: string, { width, minus, zero }: Flags): string {
  const missing = width - [...text].length
  if (missing <= 0) return text
  return minus ? text + ' '.repeat(missing) : (zero ? '0' : ' ').repeat(missing) + text
}

function paddedNumber(digits: string, isNegative: boolean, flags: Flags): string {
  const sign = isNegative ? '-' : flags.plus ? '+' : flags.space ? ' ' : ''
  if (!flags.zero || flags.minus) return padded(sign + digits, { ...flags, zero: false })
  return sign + padded(digits, { ...flags, width: flags.width - sign.length })
}
