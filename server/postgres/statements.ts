// Cuts an SQL text into its statements, by the lexical rules of PostgreSQL
// (https://www.postgresql.org/docs/current/sql-syntax-lexical.html).

export type Statement = {
  /** Without comments and blanks before it, without its semicolon. */
  text: string
  /** Where `text` begins in the whole, in characters. */
  start: number
}

/** Comments, quoted things of all kinds, words, and single characters. */
const token =
  /--[^\n]*|\/\*|\$([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$|[eE]'(?:[^'\\]|''|\\[\s\S])*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|[\w\u0080-\uffff][\w$\u0080-\uffff]*|\S/g

/** The statements of `sql`, empty ones left out. What is quoted or in brackets, or a routine's body, is never cut. */
export function statementsOf(sql: string): Statement[] {
  const found: Statement[] = []
  const lexer = new RegExp(token)
  let start = -1
  let brackets = 0
  // `begin atomic … end`, with `case … end` in it.
  let blocks = 0
  let previous = ''
  const close = (end: number) => {
    if (start !== -1) found.push({ text: sql.slice(start, end).trimEnd(), start })
    start = -1
    brackets = blocks = 0
  }
  for (let match = lexer.exec(sql); match; match = lexer.exec(sql)) {
    const [word, tag = ''] = match
    if (word.startsWith('--')) continue
    if (word === '/*') {
      lexer.lastIndex = endOfComment(sql, lexer.lastIndex)
      continue
    }
    if (word === ';' && brackets === 0 && blocks === 0) {
      close(match.index)
      continue
    }
    if (start === -1) start = match.index
    if (word === `$${tag}$`) {
      const end = sql.indexOf(word, lexer.lastIndex)
      lexer.lastIndex = end === -1 ? sql.length : end + word.length
    }
    if (word === '(') brackets++
    if (word === ')') brackets = Math.max(0, brackets - 1)
    const lower = word.toLowerCase()
    if (lower === 'atomic' && previous === 'begin') blocks++
    if (blocks > 0 && lower === 'case') blocks++
    if (blocks > 0 && lower === 'end') blocks--
    previous = lower
  }
  close(sql.length)
  return found
}

/** Comments nest. */
function endOfComment(sql: string, from: number): number {
  const mark = /\/\*|\*\//g
  mark.lastIndex = from
  for (let depth = 1; depth > 0; ) {
    const match = mark.exec(sql)
    if (!match) return sql.length
    depth += match[0] === '/*' ? 1 : -1
  }
  return mark.lastIndex
}
