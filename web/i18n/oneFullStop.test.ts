// Names with a full stop at the end of a sentence.
import { expect, test } from 'vitest'
import { oneFullStop } from './oneFullStop.ts'

test.each([
  ['First asked of Theo K..', 'First asked of Theo K.'],
  ['It goes to Theo K.. Thank you!', 'It goes to Theo K. Thank you!'],
  ['\u2068Theo K.\u2069.', '\u2068Theo K.\u2069'],
  ['Search tasks, location...', 'Search tasks, location...'],
  ['Held. Released.', 'Held. Released.'],
])('%s', (text, read) => {
  expect(oneFullStop.process(text, '', {}, undefined)).toBe(read)
})
