// Where the messages button stands beside what a page is for.
import { expect, test } from 'vitest'
import { roomBeside } from './useClearance.ts'

/** On a phone of 360 × 740. */
const HOME = { top: 680, bottom: 724, left: 300, right: 344, height: 44 }
const NOTHING = { primary: [], buttons: [], fields: [], figures: [] }
const box = (top: number, bottom: number, gap = 6) => ({
  ...{ top, bottom, gap },
  ...{ left: 16, right: 344, height: bottom - top },
})

test('beside nothing it stays, and it rises over a field that it would cover or touch', () => {
  expect(roomBeside(HOME, NOTHING)).toEqual({ rise: 0, covers: false })
  expect(roomBeside(HOME, { ...NOTHING, fields: [box(640, 700)] })).toEqual({ rise: 90, covers: false })
  expect(roomBeside(HOME, { ...NOTHING, fields: [box(620, 677)] }).rise).toBeGreaterThan(0)
})

test('where fields leave no room it says that it covers one, so that it can step aside', () => {
  const fields = [box(90, 660), box(670, 800)]
  expect(roomBeside(HOME, { ...NOTHING, fields })).toEqual({ rise: 0, covers: true })
})

test('figures give way before buttons and fields do', () => {
  const room = roomBeside(HOME, { ...NOTHING, figures: [box(70, 740)], fields: [box(690, 740)] })
  expect(room).toEqual({ rise: 40, covers: false })
})
