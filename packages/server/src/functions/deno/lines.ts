// Reads a function's output line by line for the log, with bounded memory and time. The length of a line is
// Supabase's limit (https://supabase.com/docs/guides/functions/logging).
import type { Readable } from 'node:stream'

/** Characters of a record; the rest is left out. */
const LONGEST = 10_000
/** Characters of a line as it is read: a record in JSON may have six times as many. */
const LONGEST_LINE = 6 * LONGEST + 1000
/** Lines that are reported within ten seconds. */
const MOST = 1000
const WINDOW = 10_000

/** Cuts a text to the length of a log line. */
export function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** Calls `onLine` for each line of `stream`, empty ones left out. A line that does not end is cut, not kept. */
export function readLines(stream: Readable, onLine: (text: string) => void): void {
  let line = ''
  const take = (text: string) => {
    if (line.length < LONGEST_LINE) line += text.slice(0, LONGEST_LINE - line.length)
  }
  const end = () => {
    const text = line.replace(/\r$/, '')
    line = ''
    if (text !== '') onLine(text)
  }
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    let from = 0
    for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', from)) {
      take(chunk.slice(from, at))
      end()
      from = at + 1
    }
    take(chunk.slice(from))
  })
  stream.on('end', end)
}

/** Calls `onBlock` with the lines of `stream` that come at once, such as an error with its stack. */
export function readBlocks(stream: Readable, onBlock: (text: string) => void): void {
  let lines: string[] = []
  readLines(stream, (line) => {
    if (lines.length === 0) {
      setImmediate(() => {
        const text = lines.join('\n')
        lines = []
        onBlock(text)
      })
    }
    // Text beyond the longest record is dropped anyway.
    if (lines.length < LONGEST) lines.push(line)
  })
}

/** Passes on as many lines as are reported in ten seconds; how many it left out is reported with the first one afterwards. */
export function sparing<Level>(
  tell: (level: Level, text: string) => void,
): (level: Level, text: string) => void {
  let since = 0
  let count = 0
  return (level, text) => {
    const now = performance.now()
    if (now - since > WINDOW) {
      if (count > MOST) tell(level, `${count - MOST} lines were left out`)
      since = now
      count = 0
    }
    count++
    if (count <= MOST) tell(level, text)
  }
}
