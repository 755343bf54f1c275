// Room for toasts: an open dialog gives way to one that would lie over it, so that neither hides the other.
import { useEffect } from 'react'

/** Marks a modal panel that leaves `--toast-room-top` and `--toast-room-bottom` free: `<Content {...MAKES_ROOM}>`. */
export const MAKES_ROOM = { 'data-makes-room': true }

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
      if (style.getPropertyValue(name) !== room) style.setProperty(name, room)
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

/** Pixels from the edge that the toasts take where a panel would be. */
function roomAt(edge: 'top' | 'bottom'): number {
  const toasts = [...document.querySelectorAll<HTMLElement>('[data-sonner-toast]')]
  const list = toasts[0]?.parentElement?.getBoundingClientRect()
  const crossed = [...document.querySelectorAll('[data-makes-room]')]
    .map((panel) => panel.getBoundingClientRect())
    .some(({ left, right }) => list && left < list.right && right > list.left)
  if (!list || !crossed) return 0
  const height = Math.max(...toasts.map(({ offsetHeight }) => offsetHeight))
  return Math.round((edge === 'top' ? list.top : innerHeight - list.bottom) + height + GAP_PX)
}
