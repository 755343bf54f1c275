// Cuts an SQL text into its statements, by the lexical rules of PostgreSQL
// (https://www.postgresql.org/docs/current/sql-syntax-lexical.html). Reads two things of psql that pg_dump writes: commands that
// begin with a backslash, and the rows below a COPY … FROM stdin.

export type Statement = {
  /** Without comments and blanks before it, without its semicolon. */
  text: string
  /** Where `text` begins in the whole, in characters. */
  start: number
  /** Where the next one may begin. */
  end: number
  /** The rows of a COPY … FROM stdin, which are not part of `text`: from the line after it up to the line `\.`. */
  rows?: { from: number; to: number }
}

/** Everything at which the state changes; text in between is never looked at. */
const MARK = /--|\/\*|['"$;()]|\b(?:begin\s+atomic|case|end)\b/gi
const BLANK = /[^\s]/g
const COPY_IN = /^copy\b(?:"[^"]*"|[^"';])*?\bfrom\s+stdin\b/i
const DOLLAR_QUOTE = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y

/**
 * The statements of `sql`, empty ones left out; a command of psql is one, too. Quoted text, brackets and the body of
 * a routine are never cut.
 */
export function statementsOf(sql: string): Statement[] {
  const found: Statement[] = []
  let start = -1
  let brackets = 0
  // `begin atomic … end`, with `case … end` in it.
  let blocks = 0
  let at = 0
  /** Ends the statement before `place`, where its semicolon is, and goes on behind it. */
  const close = (place: number) => {
    at = Math.min(place + 1, sql.length)
    if (start !== -1) {
      const text = sql.slice(start, place).trimEnd()
      const rows = COPY_IN.test(text) ? rowsAfter(sql, at) : null
      if (rows) at = rows.end
      found.push({ text, start, end: at, ...(rows && { rows: { from: rows.from, to: rows.to } }) })
    }
    start = -1
    brackets = blocks = 0
  }
  while (at < sql.length) {
    MARK.lastIndex = at
    const match = MARK.exec(sql)
    const place = match?.index ?? sql.length
    if (start === -1) start = firstWord(sql, at, place)
    if (start !== -1 && sql[start] === '\\') {
      close(endOfLine(sql, start))
      continue
    }
    if (!match) break
    const [word] = match
    if (word === '--' || word === '/*') {
      at = word === '--' ? after(sql, '\n', place) : endOfComment(sql, place + 2)
      continue
    }
    at = place + word.length
    if (word === ';') {
      if (brackets === 0 && blocks === 0) close(place)
      continue
    }
    if (start === -1) start = place
    if (word === "'") at = hasEscapes(sql, place) ? endOfEscaped(sql, at) : after(sql, "'", at)
    else if (word === '"') at = after(sql, '"', at)
    else if (word === '$') at = endOfDollarQuote(sql, place)
    else if (word === '(') brackets++
    else if (word === ')') brackets = Math.max(0, brackets - 1)
    else if (/^begin/i.test(word)) blocks++
    else if (blocks > 0) blocks += /^case/i.test(word) ? 1 : -1
  }
  close(sql.length)
  return found
}

/** Where something other than blanks begins between two places; -1 when nothing does. */
function firstWord(sql: string, from: number, to: number): number {
  BLANK.lastIndex = from
  const place = BLANK.exec(sql)?.index ?? to
  return place < to ? place : -1
}

function endOfLine(sql: string, from: number): number {
  const place = sql.indexOf('\n', from)
  return place === -1 ? sql.length : place
}

/** The rows from the next line on, up to the line `\.` or the end of the text; `end` is behind that line. */
function rowsAfter(sql: string, place: number): { from: number; to: number; end: number } {
  const line = endOfLine(sql, place)
  const last = /\n\\\.\r?(?:\n|$)/g
  last.lastIndex = line
  const match = last.exec(sql)
  const from = Math.min(line + 1, sql.length)
  return match
    ? { from, to: match.index + 1, end: last.lastIndex }
    : { from, to: sql.length, end: sql.length }
}

/** Behind the next `end`. A quote that is doubled is one that ends and one that begins: for us that is the same. */
function after(sql: string, end: string, from: number): number {
  const place = sql.indexOf(end, from)
  return place === -1 ? sql.length : place + end.length
}

/** Whether the quote at `place` is the one of E'…', in which a backslash escapes. */
function hasEscapes(sql: string, place: number): boolean {
  return /(?:^|[^\w$\u0080-\uffff])e$/i.test(sql.slice(Math.max(0, place - 2), place))
}

function endOfEscaped(sql: string, from: number): number {
  for (let at = from; at < sql.length; at++) {
    if (sql[at] === '\\') at++
    else if (sql[at] === "'") return at + 1
  }
  return sql.length
}

/** A dollar sign that begins no quote is part of a name or a parameter. */
function endOfDollarQuote(sql: string, place: number): number {
  DOLLAR_QUOTE.lastIndex = place
  const quote = DOLLAR_QUOTE.exec(sql)?.[0]
  const inName = place > 0 && /[\w\u0080-\uffff]/.test(sql[place - 1] as string)
  return quote && !inName ? after(sql, quote, place + quote.length) : place + 1
}

/** Comments nest. */
function endOfComment(sql: string, from: number): number {
  const edge = /\/\*|\*\//g
  edge.lastIndex = from
  for (let depth = 1; depth > 0; ) {
    const match = edge.exec(sql)
    if (!match) return sql.length
    depth += match[0] === '/*' ? 1 : -1
  }
  return edge.lastIndex
}
