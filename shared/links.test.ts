// Values in e-mails: what mail programs turn into links, and what they do not.
import { expect, test } from 'vitest'
import { unlinked } from './links.ts'

test.each([
  ['www.evil.example/prize Now', 'www. evil. example/prize Now'],
  ['https://evil.example', 'https: //evil. example'],
  ['grace@evil.example', 'grace@ evil. example'],
  ['mailto:grace', 'mailto: grace'],
  ['evil\uff0ecom, evil\u2024com, evil\u3002com', 'evil\uff0e com, evil\u2024 com, evil\u3002 com'],
  ['ev\u200bil.c\u2060om', 'evil. com'],
  ['пример.рф', 'пример. рф'],
  ['evil\u202e.com', 'evil. com'],
  ['evil.\u200ec\u200fom', 'evil. \u200ec\u200fom'],
  ['a\r\nb', 'a\nb'],
  ['Call 306-555-0142', 'Call 306\u2060-555\u2060-014\u20602'],
])('%j', (text, broken) => {
  expect(unlinked(text).replaceAll('\u2060', '')).toBe(broken.replaceAll('\u2060', ''))
  for (const run of unlinked(text).split('\u2060')) expect(run.replace(/\D/g, '').length).toBeLessThan(7)
})

test.each([
  'J.P. Smith',
  'Fix Wi-Fi 5.0GHz router',
  'Paint 3.5m fence, e.g. on Sunday at 9:30 a.m.',
  '打扫车库。需要两个人',
  'می\u200cخواهم',
  '\u2066$1,250.00\u2069',
  'Sat, Nov 21, 2026, 2:30 p.m.',
])('%j is left as it is', (text) => {
  expect(unlinked(text)).toBe(text)
})
