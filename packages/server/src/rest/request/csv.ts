// CSV bodies (RFC 4180) as rows of text; `NULL` without quotes is null, as in PostgREST.
import { invalidBody } from '../errors/errors.ts'

/** One object for each line after the header. Throws PGRST102 when a line has another number of fields. */
export function readCsv(text: string): Record<string, string | null>[] {
  const lines = csvLines(text)
  const header = lines.shift()
  if (!header) throw invalidBody('Empty or invalid csv')
  return lines.map((line) => {
    if (line.length !== header.length) throw invalidBody('All lines must have same number of fields')
    return Object.fromEntries(
      line.map((value, index) => [header[index] as string, value === 'NULL' ? null : value]),
    )
  })
}

const PLAIN = /[^,\r\n]*/y

function csvLines(text: string): string[][] {
  const lines: string[][] = []
  let at = 0
  while (at < text.length) {
    const line: string[] = []
    for (;;) {
      let value = ''
      if (text[at] === '"') {
        at++
        for (;;) {
          const end = text.indexOf('"', at)
          if (end < 0) throw invalidBody('A quoted field of the csv is not closed')
          value += text.slice(at, end)
          at = end + 1
          if (text[at] !== '"') break
          value += '"'
          at++
        }
      }
      PLAIN.lastIndex = at
      const plain = PLAIN.exec(text)?.[0] ?? ''
      at += plain.length
      line.push(value + plain)
      if (text[at] !== ',') break
      at++
    }
    if (text[at] === '\r') at++
    if (text[at] === '\n') at++
    lines.push(line)
  }
  return lines
}
