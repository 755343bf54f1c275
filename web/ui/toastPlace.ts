// Where toasts stand: at the screen's edge, but never over a title or the buttons of a dialog, which they move beyond.
import { useEffect } from 'react'

/** Marks what must stay in sight and in reach while a toast is shown: `<footer {...CLEAR_OF_TOASTS}>`. */
export const CLEAR_OF_TOASTS = { 'data-clear-of-toasts': true }

/** The distance from the edge, as a variable of the page. */
export const TOAST_OFFSET = 'var(--toast-offset, 1rem)'

const EDGE_PX = { top: 8, bottom: 24 }
const GAP_PX = 8

/** Keeps `--toast-offset` right for toasts that come from this edge. */
export function useToastPlace(edge: 'top' | 'bottom') {
  useEffect(() => {
    let frame = 0
    const place = () => {
      frame = 0
      const offset = `${offsetFrom(edge)}px`
      if (document.documentElement.style.getPropertyValue('--toast-offset') !== offset)
        document.documentElement.style.setProperty('--toast-offset', offset)
    }
    const schedule = () => {
      frame ||= requestAnimationFrame(place)
    }
    place()
    const changed = new MutationObserver(schedule)
    changed.observe(document.body, { subtree: true, childList: true })
    // A drawer is in its place once it has slid in.
    document.addEventListener('animationend', schedule)
    window.addEventListener('resize', schedule)
    return () => {
      cancelAnimationFrame(frame)
      changed.disconnect()
      document.removeEventListener('animationend', schedule)
      window.removeEventListener('resize', schedule)
    }
  }, [edge])
}

/** Pixels from the edge at which the toasts that are shown lie over nothing that must stay clear. */
function offsetFrom(edge: 'top' | 'bottom'): number {
  const home = EDGE_PX[edge]
  const toasts = [...document.querySelectorAll<HTMLElement>('[data-sonner-toast]')]
  const height = Math.max(0, ...toasts.map(({ offsetHeight }) => offsetHeight))
  const { left = 0, right = 0 } = toasts[0]?.parentElement?.getBoundingClientRect() ?? {}
  const boxes = [...document.querySelectorAll('[data-clear-of-toasts]')]
    .map((element) => element.getBoundingClientRect())
    .filter((box) => box.width > 0 && box.left < right + GAP_PX && box.right > left - GAP_PX)
    // Both as distances from the edge, the nearest first.
    .map(({ top, bottom }) =>
      edge === 'top' ? { from: top, to: bottom } : { from: innerHeight - bottom, to: innerHeight - top },
    )
    .sort((one, other) => one.from - other.from)
  let offset = home
  for (const { from, to } of boxes) {
    if (from < offset + height + GAP_PX && to > offset - GAP_PX) offset = to + GAP_PX
  }
  return offset + height > innerHeight ? home : Math.round(offset)
}
