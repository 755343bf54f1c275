// How much room dialogs leave for toasts, on a phone, a tablet and a wide screen.
import { expect, test } from 'vitest'
import { toastRoom } from './toastRoom.ts'

test('a sheet on a phone begins below a toast that has the whole width', () => {
  const toasts = { left: 8, right: 352, heights: [64] }
  expect(toastRoom({ fromEdge: 8, toasts, panels: [{ left: 0, right: 360 }] })).toBe(8 + 64 + 8)
})

test('a dialog on a tablet ends above a toast in the corner, the highest of them', () => {
  const toasts = { left: 24, right: 344, heights: [56, 96.4] }
  expect(toastRoom({ fromEdge: 24, toasts, panels: [{ left: 96, right: 672 }] })).toBe(128)
})

test('elements next to the toast stay in place: a dialog in the middle, the drawer at the other edge', () => {
  const toasts = { left: 24, right: 344, heights: [56] }
  const dialog = { left: 384, right: 896 }
  const drawer = { left: 880, right: 1280 }
  expect(toastRoom({ fromEdge: 24, toasts, panels: [dialog, drawer] })).toBe(0)
  // Where reading goes from right to left, the toast is below the drawer.
  const rtl = { left: 936, right: 1256, heights: [56] }
  expect(toastRoom({ fromEdge: 24, toasts: rtl, panels: [dialog, drawer] })).toBe(88)
  expect(toastRoom({ fromEdge: 24, toasts, panels: [{ left: 344, right: 900 }] })).toBe(0)
  expect(toastRoom({ fromEdge: 24, toasts, panels: [] })).toBe(0)
})
