// A receipt or statement as a PDF of one letter-size page, made in the browser. Loaded only when somebody asks for it.

import regular from '@expo-google-fonts/figtree/400Regular/Figtree_400Regular.ttf?url'
import bold from '@expo-google-fonts/figtree/700Bold/Figtree_700Bold.ttf?url'
import { jsPDF } from 'jspdf'
import { currentLanguage } from '../../../i18n/index.ts'
import { direction } from '../../../i18n/languages.ts'
import { formatMoney } from '../../../lib/format.ts'
import type { AmountLine } from '../../../ui/AmountLines.tsx'
import type { Sheet } from '../sheet.ts'
import { FONT, type Look, put as putText, turned } from './text.ts'

/** Points; that wide is a letter-size page. */
const PAGE = 612
const MARGIN = 56
const WIDTH = PAGE - 2 * MARGIN
const HALF = WIDTH / 2 - 10
const SOFT = '#474d5b'

/** The PDF's bytes. Rejects when its fonts cannot be loaded. */
export async function pdfOf(sheet: Sheet): Promise<Blob> {
  const doc = new jsPDF({ unit: 'pt', format: 'letter', compress: true })
  for (const [url, style] of [
    [regular, 'normal'],
    [bold, 'bold'],
  ] as const) {
    doc.addFileToVFS(`${style}.ttf`, await bytesOf(url))
    doc.addFont(`${style}.ttf`, FONT, style)
  }
  doc.setDocumentProperties({
    title: `${sheet.name} ${sheet.number}`,
    author: sheet.issuer.name,
    creator: 'Meadowlark',
  })

  let y = MARGIN + head(doc, sheet)
  y = rule(doc, y + 16) + 18
  y = facts(doc, sheet, y) + 22
  y = amounts(doc, sheet.lines, y)
  if (sheet.since.length > 0) y = amounts(doc, sheet.since, y + 16)
  y = rule(doc, y + 24) + 14
  for (const note of sheet.notes) y += put(doc, note, MARGIN, y, { size: 9.5, color: SOFT, width: WIDTH })
  return doc.output('blob')
}

/** Writes at the given place in a language that is read from the left, or at the other side. Answers the height. */
function put(doc: jsPDF, text: string, x: number, y: number, look: Look): number {
  const place = direction(currentLanguage()) === 'rtl' ? turned(x, look, PAGE) : { x, look }
  return putText(doc, text, place.x, y, place.look)
}

/** Draws the issuer, the number and the date. Returns the height. */
function head(doc: jsPDF, { issuer, name, number, issued }: Sheet): number {
  let left = put(doc, issuer.name, MARGIN, MARGIN, { size: 19, bold: true, width: HALF })
  for (const line of [issuer.address, issuer.gst])
    if (line) left += put(doc, line, MARGIN, MARGIN + left, { size: 9.5, color: SOFT, width: HALF })
  const beside = { width: HALF, align: 'right' } as const
  const x = MARGIN + WIDTH - HALF
  let right = put(doc, `${name} ${number}`, x, MARGIN + 3, { size: 12, bold: true, ...beside })
  right += put(doc, issued, x, MARGIN + 3 + right, { size: 9.5, color: SOFT, ...beside })
  return Math.max(left, right)
}

/** Two in a row, then the others below. Answers where it ends. */
function facts(doc: jsPDF, { facts }: Sheet, top: number): number {
  const one = ({ label, value }: Sheet['facts'][number], x: number, y: number, width: number) => {
    const height = put(doc, label, x, y, { size: 9.5, color: SOFT, width })
    return y + height + put(doc, value, x, y + height, { size: 11, bold: true, width })
  }
  const [first, second, ...others] = facts
  let y = top
  if (first) y = one(first, MARGIN, top, HALF)
  if (second) y = Math.max(y, one(second, MARGIN + WIDTH - HALF, top, HALF))
  for (const other of others) y = one(other, MARGIN, y + 12, WIDTH)
  return y
}

function amounts(doc: jsPDF, lines: AmountLine[], top: number): number {
  let y = top
  for (const { label, amount, less, total } of lines) {
    if (total) y = rule(doc, y + 4) + 8
    const look = total ? { size: 13, bold: true } : { size: 11, color: SOFT }
    const money = `${less && amount > 0 ? '\u2212' : ''}${formatMoney(amount, { exact: true })}`
    const height = put(doc, label, MARGIN, y, { ...look, width: WIDTH - 120 })
    put(doc, money, MARGIN + WIDTH - 110, y, { ...look, width: 110, align: 'right' })
    y += height + 3
  }
  return y
}

function rule(doc: jsPDF, y: number): number {
  doc
    .setDrawColor('#cfc6b3')
    .setLineWidth(0.6)
    .line(MARGIN, y, MARGIN + WIDTH, y)
  return y
}

/** The file as the writer of PDFs takes it: a character for each byte. */
async function bytesOf(url: string): Promise<string> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`${answer.status} ${url}`)
  return Array.from(new Uint8Array(await answer.arrayBuffer()), (byte) => String.fromCharCode(byte)).join('')
}
