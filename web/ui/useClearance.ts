// Room for what floats above the page: how far it must rise so that no button lies under it, and that it steps aside while
// the page is scrolled on a phone, where it would cross one button after the other.
import { type RefObject, useEffect, useState } from 'react'

const BUTTONS = 'main :is(a, button)'
/** The one primary action of a page (web/ui/Button.tsx), as high as it may be. */
const PRIMARY = '.bg-wheat'
/** What looks like a button is at least so high; a link as high as a card is the card, and may lie under it. */
const BUTTON_PX = { min: 32, max: 64 }
const GAP_PX = 8
/** It never rises into the header. */
const TOP_PX = 80
/** After so long without another step, scrolling has ended. */
const STILL_MS = 160

/** `rise`: pixels from its place, for a fixed element that stays where it is itself; `aside`: while a phone scrolls. */
export function useClearance(place: RefObject<HTMLElement | null>): { rise: number; aside: boolean } {
  const [rise, setRise] = useState(0)
  const [aside, setAside] = useState(false)
  useEffect(() => {
    let frame = 0
    let still: ReturnType<typeof setTimeout> | undefined
    const measure = () => {
      frame = 0
      if (place.current) setRise(clearance(place.current.getBoundingClientRect()))
    }
    const schedule = () => {
      frame ||= requestAnimationFrame(measure)
    }
    const scrolled = () => {
      clearTimeout(still)
      setAside(true)
      still = setTimeout(() => {
        setAside(false)
        schedule()
      }, STILL_MS)
    }
    schedule()
    // What loads, opens or goes changes the height of the page.
    const resized = new ResizeObserver(schedule)
    resized.observe(document.body)
    window.addEventListener('scroll', scrolled, { passive: true })
    window.addEventListener('resize', schedule)
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(still)
      resized.disconnect()
      window.removeEventListener('scroll', scrolled)
      window.removeEventListener('resize', schedule)
    }
  }, [place])
  return { rise, aside }
}

/** Clear of every button; where they leave no room, of the primary ones; and 0 where even those do not. */
function clearance(home: DOMRect): number {
  const buttons = [...document.querySelectorAll(BUTTONS)]
  const primary = buttons.filter((button) => button.matches(PRIMARY))
  const ordinary = buttons.filter((button) => {
    const { height } = button.getBoundingClientRect()
    return height >= BUTTON_PX.min && height <= BUTTON_PX.max
  })
  return riseOver(home, [...primary, ...ordinary]) ?? riseOver(home, primary) ?? 0
}

/** Null where there is no room below the header. */
function riseOver(home: DOMRect, buttons: Element[]): number | null {
  const boxes = buttons
    .map((button) => button.getBoundingClientRect())
    .filter(({ left, right, width }) => width > 0 && right + GAP_PX > home.left && left - GAP_PX < home.right)
    .sort((one, other) => other.bottom - one.bottom)
  let bottom = home.bottom
  for (const box of boxes) {
    if (box.bottom + GAP_PX > bottom - home.height && box.top - GAP_PX < bottom) bottom = box.top - GAP_PX
  }
  return bottom - home.height < TOP_PX ? null : home.bottom - bottom
}
