// The one place where JSON that a client sent is parsed.

/** Levels of nesting: more than anything real has, and few enough for JSON.stringify and validators, which recurse. */
const MAX_DEPTH = 1000
/** Characters up to which the deepest nesting costs no more than any other request. */
const SMALL_TEXT = MAX_DEPTH

/** JSON that is nested too deeply. */
export class NestingError extends SyntaxError {
  constructor() {
    super(`must not be nested deeper than ${MAX_DEPTH} levels`)
  }
}

/**
 * Parses JSON. Throws a SyntaxError for invalid JSON, and a NestingError for more than 1000 levels, which is found
 * without parsing: a megabyte of brackets keeps JSON.parse busy for a tenth of a second.
 */
export function parseJson(text: string): unknown {
  if (text.length > SMALL_TEXT && isNestedDeeper(text, MAX_DEPTH)) throw new NestingError()
  return JSON.parse(text)
}

const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}')

/** Whether brackets are nested deeper than `levels`. Works on any text, JSON or not, without parsing it. */
export function isNestedDeeper(text: string, levels: number): boolean {
  let depth = 0
  let quoted = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) quoted = !quoted
    else if (quoted) {
      if (code === BACKSLASH) index++
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      if (++depth > levels) return true
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth--
  }
  return false
}
