// Text on a PDF's page. Characters of the embedded font are written as text. Others (names in another script, emoji)
// are drawn by the browser, as on the screen, and the page has the picture of them.
import type { jsPDF } from 'jspdf'
import { z } from '../../../lib/zod.ts'

/** How a piece of text looks; sizes and widths are in points. */
export type Look = { size: number; bold?: boolean; color?: string; width: number; align?: 'left' | 'right' }

export const FONT = 'Figtree'
const LINE_HEIGHT = 1.35
/** Pixels of a picture for each point: sharp on paper. */
const PIXELS = 4
const ISOLATES = /[\u200e\u200f\u2066-\u2069]/g
/** Arabic and Hebrew, and the mark by which a date of theirs keeps its order. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc]/

/** The place of a box on a page that is read from the right: the other side, its text turned with it. */
export function turned(x: number, look: Look, pageWidth: number): { x: number; look: Look } {
  return {
    x: pageWidth - x - look.width,
    look: { ...look, align: look.align === 'right' ? 'left' : 'right' },
  }
}

/** Whether its parts are in an order that only the browser knows. */
export const isRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text)

/** Writes the text with its first line's top at `y`, in as many lines as it takes. Answers their height. */
export function put(doc: jsPDF, text: string, x: number, y: number, look: Look): number {
  const { size, bold = false, color = '#1a2130', width, align = 'left' } = look
  const plain = text.replace(ISOLATES, '').normalize('NFC')
  doc
    .setFont(FONT, bold ? 'bold' : 'normal')
    .setFontSize(size)
    .setTextColor(color)
  const step = size * LINE_HEIGHT
  if (isRightToLeft(text) || !writes(doc, plain))
    return draw(doc, text, x, y, { ...look, bold, color, align })
  const lines: string[] = doc.splitTextToSize(plain, width)
  for (const [index, line] of lines.entries()) {
    const left = align === 'right' ? x + width - doc.getTextWidth(line) : x
    doc.text(line, left, y + step * index + size)
  }
  return step * lines.length
}

/** The glyph of each code point in jsPDF's font. */
const fontSchema = z.object({
  metadata: z.object({
    cmap: z.object({ unicode: z.object({ codeMap: z.record(z.string(), z.number()) }) }),
  }),
})

/** Whether the font that is set has a letter for every character. */
function writes(doc: jsPDF, text: string): boolean {
  const glyphs = fontSchema.parse(doc.getFont()).metadata.cmap.unicode.codeMap
  return [...text].every((letter) => letter === '\n' || glyphs[letter.codePointAt(0) ?? 0])
}

function draw(doc: jsPDF, text: string, x: number, y: number, look: Required<Look>): number {
  const { size, bold, color, width, align } = look
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d')
  if (!context) throw new Error('this browser draws no text')
  const begin = () => {
    context.font = `${bold ? 700 : 400} ${size * PIXELS}px "Figtree Variable", sans-serif`
    context.fillStyle = color
    context.textBaseline = 'alphabetic'
    context.direction = isRightToLeft(text) ? 'rtl' : 'ltr'
    context.textAlign = align
  }
  begin()
  const lines = wrapped(text, width * PIXELS, (part) => context.measureText(part).width)
  const step = size * LINE_HEIGHT
  canvas.width = Math.ceil(width * PIXELS)
  canvas.height = Math.ceil(step * lines.length * PIXELS)
  begin() // a canvas forgets with its size
  for (const [index, line] of lines.entries())
    context.fillText(line, align === 'right' ? canvas.width : 0, (step * index + size) * PIXELS)
  doc.addImage(canvas, 'PNG', x, y, width, step * lines.length)
  return step * lines.length
}

/** The text in lines that fit the width, broken between words, and within one that is wider by itself. */
export function wrapped(text: string, width: number, measure: (part: string) => number): string[] {
  const words = Array.from(
    new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text),
    (one) => one.segment,
  )
  const parts = words.flatMap((word) =>
    measure(word) <= width
      ? [word]
      : Array.from(
          new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(word),
          (one) => one.segment,
        ),
  )
  const lines: string[] = []
  let line = ''
  for (const part of parts) {
    if (line && measure(line + part) > width) {
      lines.push(line.trimEnd())
      line = part.trimStart()
    } else line += part
  }
  return [...lines, line]
}
