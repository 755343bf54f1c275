// A person without a mouse: every control is reached by Tab from where the focus is, and each stop on the way is looked at.
import { expect, type Locator, type Page } from '@playwright/test'
import { expectFocusKept } from './accessibility.ts'

/** More stops than any screen has. */
const MOST_STOPS = 300

/** Whether this control has the focus, and the problem with the element that has it; usually none. Runs in the page. */
function lookAtFocus(control: Element): { isHere: boolean; problem: string | null } {
  const problem = (): string | null => {
    const at = document.activeElement
    // The way from the last control to the first leads over the page itself.
    if (!(at instanceof HTMLElement) || at === document.body) return null
    const name = `${at.localName} “${(at.getAttribute('aria-label') ?? at.textContent ?? '').trim().slice(0, 40)}”`
    // A field of which only the label is visible is marked there, or next to it.
    const label = 'labels' in at ? (at as HTMLInputElement).labels?.[0] : null
    const marked = [at, at.nextElementSibling, at.parentElement, label, label?.firstElementChild].some(
      (element) => element && getComputedStyle(element).outlineStyle !== 'none',
    )
    if (!marked) return `nothing shows that the focus is on ${name}`
    const seen = label && at.getBoundingClientRect().width < 4 ? label : at
    const { left, right, top, bottom } = seen.getBoundingClientRect()
    const points = [0.5, 0.1, 0.9].flatMap((part) => [
      [left + (right - left) * part, (top + bottom) / 2],
      [(left + right) / 2, top + (bottom - top) * part],
    ])
    const found = points.some(([x = 0, y = 0]) => {
      const over = document.elementFromPoint(x, y)
      return over !== null && (seen.contains(over) || over.contains(seen))
    })
    return found ? null : `${name} has the focus and is out of sight, or something lies over it`
  }
  return { isHere: control === document.activeElement, problem: problem() }
}

/** Presses Tab until this has the focus. Fails where that takes for ever, or a stop on the way is hidden or unmarked. */
export async function tabTo(page: Page, control: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab') {
  // Tab does not reach a control that waits for the server.
  await expect(control).toBeEnabled()
  if (await control.evaluate((element) => element === document.activeElement)) return
  for (let stops = 0; stops < MOST_STOPS; stops++) {
    await page.keyboard.press(key)
    const { isHere, problem } = await control.evaluate(lookAtFocus)
    expect.soft(problem, page.url()).toBeNull()
    if (isHere) return
  }
  await expect(control, 'the keyboard does not come here').toBeFocused()
}

/** Goes there by Tab and presses a key, and the focus is somewhere afterwards. */
export async function pressOn(page: Page, control: Locator, key = 'Enter') {
  await tabTo(page, control)
  await page.keyboard.press(key)
  await expectFocusKept(page)
}

/** Goes there by Tab and types. */
export async function typeInto(page: Page, field: Locator, text: string) {
  await tabTo(page, field)
  await page.keyboard.type(text)
}

/** The Enter that confirms a candidate of an input method, as Safari reports it: once the composition has ended. */
export async function confirmCandidate(field: Locator) {
  await field.dispatchEvent('keydown', { key: 'Enter', keyCode: 229, isComposing: false })
}
