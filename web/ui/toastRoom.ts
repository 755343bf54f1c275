// Room for toasts: an open dialog gives way to one that would lie over it, so that neither hides the other.
import { useEffect } from 'react'

/** Marks a modal panel that leaves `--toast-room-top` and `--toast-room-bottom` free: `<Content {...YIELDS_TO_TOASTS}>`. */
export const YIELDS_TO_TOASTS = { 'data-yields-to-toasts': true }

const GAP_PX = 8

/** Keeps the room right for toasts that come from this edge: 0 while no toast is above or below a panel. */
export function useToastRoom(edge: 'top' | 'bottom') {
  useEffect(() => {
    const { style } = document.documentElement
    let frame = 0
    const measure = () => {
      frame = 0
      const room = `${roomAt(edge)}px`
      const name = `--toast-room-${edge}`
      // On the document, each change has the browser work out every element's styles again.
      if ((style.getPropertyValue(name) || '0px') !== room) style.setProperty(name, room)
    }
    const schedule = () => {
      frame ||= requestAnimationFrame(measure)
    }
    measure()
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
      style.removeProperty(`--toast-room-${edge}`)
    }
  }, [edge])
}

/** The current space, read from the page. */
function roomAt(edge: 'top' | 'bottom'): number {
  const toasts = [...document.querySelectorAll<HTMLElement>('[data-sonner-toast]')]
  const list = toasts[0]?.parentElement?.getBoundingClientRect()
  if (!list) return 0
  return toastRoom({
    fromEdge: edge === 'top' ? list.top : innerHeight - list.bottom,
    toasts: { left: list.left, right: list.right, heights: toasts.map(({ offsetHeight }) => offsetHeight) },
    panels: [...document.querySelectorAll('[data-yields-to-toasts]')].map((panel) =>
      panel.getBoundingClientRect(),
    ),
  })
}

type Across = { left: number; right: number }

/** Pixels from the edge that toasts, `fromEdge` away from it, take where a panel would be; 0 where none is in their way. */
export function toastRoom(shown: {
  fromEdge: number
  toasts: Across & { heights: number[] }
  panels: Across[]
}): number {
  const { fromEdge, toasts, panels } = shown
  const crossed = panels.some(({ left, right }) => left < toasts.right && right > toasts.left)
  // One behind the other, they are as high as the highest.
  return crossed ? Math.round(fromEdge + Math.max(...toasts.heights) + GAP_PX) : 0
}
