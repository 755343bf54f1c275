// Controls that cover each other, at every height to which the page can be scrolled; measured within one visit.
import { expect, type Page } from '@playwright/test'

/**
 * Fails with each pair of controls inside `within` that share pixels. The sticky header counts as the upper edge of the window:
 * `scroll-padding-top` brings a focused control below it.
 */
export async function expectNoOverlaps(page: Page, within = 'body') {
  const overlaps = await page.evaluate(findOverlaps, within)
  const { width, height } = page.viewportSize() ?? {}
  expect(overlaps, `controls that cover each other at ${width}×${height}: ${page.url()}`).toEqual([])
}

/** Runs in the page, and leaves it scrolled as it was. */
function findOverlaps(within: string): string[] {
  const CONTROLS =
    'a[href], button, input:not([type="hidden"]), select, textarea, summary, [role="button"], [role="combobox"]'
  /** Neighbours may share a rounded pixel. */
  const TOLERANCE_PX = 1
  /** Smaller inputs are represented by their label. */
  const MIN_PX = 4
  /** Less than the height of any control. */
  const SCROLL_STEP_PX = 20

  type Box = { left: number; top: number; right: number; bottom: number }
  const pathOf = (element: Element): Element[] => {
    const path: Element[] = []
    for (let at: Element | null = element; at; at = at.parentElement) path.push(at)
    return path
  }
  const has = (property: 'position' | 'overflow' | 'opacity', value: RegExp) => (one: Element) =>
    value.test(getComputedStyle(one)[property])
  const bar = document.querySelector('header.sticky')

  // Nothing behind an open dialog can be reached.
  const dialog = [...document.querySelectorAll('[role="dialog"], [role="alertdialog"]')]
    .filter((element) => element.checkVisibility())
    .at(-1)

  const controls = [...document.querySelectorAll<HTMLElement>(CONTROLS)]
    .filter((element) => !dialog || dialog.contains(element))
    .filter((element) => element.closest(within) && element.checkVisibility({ visibilityProperty: true }))
    .map((element) => {
      const path = pathOf(element)
      const pinnedBy = path.find(has('position', /fixed|sticky/))
      const fixedAt = path.findIndex(has('position', /fixed/))
      const { paddingLeft, paddingRight } = getComputedStyle(element)
      // A field may hold a button where its padding keeps the text away.
      const isField = element.matches('input, select, textarea')
      return {
        element,
        path,
        inBar: pinnedBy === bar,
        moves: !pinnedBy,
        clippers: path
          .slice(1, fixedAt < 1 ? undefined : fixedAt)
          .filter(has('overflow', /auto|scroll|hidden|clip/)),
        inset: isField ? [Number.parseFloat(paddingLeft), Number.parseFloat(paddingRight)] : [0, 0],
      }
    })
    .filter(
      ({ path }) =>
        // A message at the edge leaves by itself, or is closed.
        !path.some((one) => one.matches('[aria-hidden="true"], [inert], [data-sonner-toaster]')) &&
        !path.some(has('opacity', /^0$/)),
    )

  const boxesOf = ({
    element,
    inBar,
    clippers,
    inset: [left = 0, right = 0],
  }: (typeof controls)[number]): Box[] => {
    const edges = clippers.filter((one) => one !== document.body && one !== document.documentElement)
    const limits = edges.map((one) => one.getBoundingClientRect())
    const top = inBar ? 0 : (bar?.getBoundingClientRect().bottom ?? 0)
    return [...element.getClientRects()]
      .filter(({ width, height }) => width >= MIN_PX && height >= MIN_PX)
      .map((box) => ({
        left: Math.max(box.left + left, ...limits.map((limit) => limit.left)),
        right: Math.min(box.right - right, ...limits.map((limit) => limit.right)),
        top: Math.max(box.top, top, ...limits.map((limit) => limit.top)),
        bottom: Math.min(box.bottom, ...limits.map((limit) => limit.bottom)),
      }))
  }
  const cross = (one: Box, other: Box) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > TOLERANCE_PX &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > TOLERANCE_PX
  const nameOf = ({ element }: (typeof controls)[number]) =>
    `${element.localName} “${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40)}”`

  const found = new Set<string>()
  const compare = (some: typeof controls) => {
    const boxes = new Map(controls.map((control) => [control, boxesOf(control)]))
    for (const one of some)
      for (const other of controls) {
        if (one.element.contains(other.element) || other.element.contains(one.element)) continue
        const theirs = boxes.get(other) ?? []
        if (!boxes.get(one)?.some((box) => theirs.some((another) => cross(box, another)))) continue
        if (!found.has(`${nameOf(other)} and ${nameOf(one)}`))
          found.add(`${nameOf(one)} and ${nameOf(other)}`)
      }
  }
  const before = { left: scrollX, top: scrollY, behavior: 'instant' } as const
  const furthest = document.documentElement.scrollHeight - innerHeight
  const pinned = controls.filter(({ moves, inBar }) => !moves && !inBar)
  scrollTo({ top: 0, behavior: 'instant' })
  compare(controls)
  for (
    let top = SCROLL_STEP_PX;
    pinned.length > 0 && top < furthest + SCROLL_STEP_PX;
    top += SCROLL_STEP_PX
  ) {
    scrollTo({ top, behavior: 'instant' })
    compare(pinned)
  }
  scrollTo(before)
  return [...found]
}
