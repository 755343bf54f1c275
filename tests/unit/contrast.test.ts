// The looks of contrast.css: every variable has a colour of the system's, and more contrast is more.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (name: string) => readFileSync(new URL(`../../web/ui/${name}`, import.meta.url), 'utf8')
const declared = (css: string) =>
  Object.fromEntries([...css.matchAll(/^ +--([\w-]+): (.+);$/gm)].map(([, name, value]) => [name, value]))

const [light = '', dark = ''] = read('tokens.css').split('@theme inline')[0]?.split('@media not print') ?? []
const [more = '', forced = ''] = read('contrast.css').split('@media (forced-colors: active)')
const [moreLight = '', moreDark = ''] = more.split('[data-theme="dark"]')

/** As WCAG 2.2 has it, of `#rrggbb`. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

describe('contrast', () => {
  it("gives every variable one of the system's colours where colours are forced", () => {
    const values = declared(forced)
    expect(Object.keys(values).sort()).toEqual(Object.keys(declared(light)).sort())
    for (const value of Object.values(values))
      expect(value).toMatch(/^(0 0 0 1px )?(Canvas|CanvasText|Highlight|HighlightText|LinkText)$/)
  })

  it.each([
    ['light', light, moreLight],
    ['dark', dark, moreDark],
  ])(
    'sets text at 7:1 and edges at 4.5:1 in the %s theme for people who ask for more',
    (_, ordinary, wanted) => {
      const colours = { ...declared(ordinary), ...declared(wanted) }
      for (const ground of ['paper', 'surface', 'sunken']) {
        const on = (name: string) => contrast(colours[name] ?? '', colours[ground] ?? '')
        for (const text of ['ink', 'ink-soft', 'ink-faint', 'sky', 'danger', 'wheat-ink'])
          expect(on(text), `${text} on ${ground}`).toBeGreaterThanOrEqual(7)
        expect(on('line-strong'), `line-strong on ${ground}`).toBeGreaterThanOrEqual(4.5)
      }
    },
  )
})
