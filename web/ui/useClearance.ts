// Room for what floats above the page: how far it must rise so that no primary button lies under it.
import { type RefObject, useEffect, useState } from 'react'

/** Wheat is the one primary action of a page (web/ui/Button.tsx); those of dialogs lie above everything that floats. */
const PRIMARY = 'main :is(a, button).bg-wheat'
const GAP_PX = 12
/** It never rises into the header. */
const TOP_PX = 80

/** Pixels to rise from its place, for a fixed element that stays where it is itself; 0 where nothing is in its way. */
export function useClearance(place: RefObject<HTMLElement | null>): number {
  const [rise, setRise] = useState(0)
  useEffect(() => {
    let frame = 0
    const measure = () => {
      frame = 0
      if (place.current) setRise(clearance(place.current.getBoundingClientRect()))
    }
    const schedule = () => {
      frame ||= requestAnimationFrame(measure)
    }
    schedule()
    // What loads, opens or goes changes the height of the page.
    const resized = new ResizeObserver(schedule)
    resized.observe(document.body)
    window.addEventListener('scroll', schedule, { passive: true })
    window.addEventListener('resize', schedule)
    return () => {
      cancelAnimationFrame(frame)
      resized.disconnect()
      window.removeEventListener('scroll', schedule)
      window.removeEventListener('resize', schedule)
    }
  }, [place])
  return rise
}

function clearance(home: DOMRect): number {
  const buttons = [...document.querySelectorAll(PRIMARY)]
    .map((button) => button.getBoundingClientRect())
    .filter(({ left, right, width }) => width > 0 && right + GAP_PX > home.left && left - GAP_PX < home.right)
    .sort((one, other) => other.bottom - one.bottom)
  let bottom = home.bottom
  for (const button of buttons) {
    if (button.bottom + GAP_PX > bottom - home.height && button.top - GAP_PX < bottom)
      bottom = button.top - GAP_PX
  }
  return bottom - home.height < TOP_PX ? 0 : home.bottom - bottom
}
