// Room for what floats above the page: how far it must rise so that no button, no field and no amount lies under it, and that it steps
// aside on a phone where there is no room besides the fields, and while the page is scrolled, when it would cross one button after
// the other.
import { type RefObject, useEffect, useState } from 'react'

const BUTTONS = 'main :is(a, button)'
/** Also charts, which mark themselves. */
const FIELDS = 'main :is(input, select, textarea, [data-chart])'
/** Amounts and what else is written in figures that stand in columns. */
const FIGURES = 'main :is(.tabular dd, .tabular.text-end, .tabular:not(:has(*)))'
/** The one primary action of a page (web/ui/Button.tsx), as high as it may be. */
const PRIMARY = '.bg-wheat'
/** What looks like a button is at least so high; a link as high as a card is the card, and may lie under it. */
const BUTTON_PX = { min: 32, max: 64 }
const GAP_PX = 8
/** On a phone a form leaves little more than its size between two fields. */
const FIELD_GAP_PX = 6
/** It never rises into the header. */
const TOP_PX = 80
/** After so long without another step, scrolling has ended. */
const STILL_MS = 160

/**
 * `rise`: pixels from its place, for a fixed element that stays where it is itself; `aside`: on a phone while it scrolls, and where
 * it would cover what one types in.
 */
export function useClearance(place: RefObject<HTMLElement | null>): { rise: number; aside: boolean } {
  const [{ rise, covers }, setRoom] = useState<Room>({ rise: 0, covers: false })
  const [scrolls, setScrolls] = useState(false)
  useEffect(() => {
    let frame = 0
    let still: ReturnType<typeof setTimeout> | undefined
    const measure = () => {
      frame = 0
      if (!place.current) return
      const room = clearance(place.current.getBoundingClientRect())
      setRoom((before) => (before.rise === room.rise && before.covers === room.covers ? before : room))
    }
    const schedule = () => {
      frame ||= requestAnimationFrame(measure)
    }
    const scrolled = () => {
      clearTimeout(still)
      setScrolls(true)
      still = setTimeout(() => {
        setScrolls(false)
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
  return { rise, aside: scrolls || covers }
}

/** `covers`: there is no place where no field lies under it. */
type Room = { rise: number; covers: boolean }

function clearance(home: DOMRect): Room {
  const buttons = [...document.querySelectorAll(BUTTONS)]
  const primary = boxesOf(buttons.filter((button) => button.matches(PRIMARY)))
  const ordinary = boxesOf(buttons).filter(({ height }) => height >= BUTTON_PX.min && height <= BUTTON_PX.max)
  return roomBeside(home, {
    primary,
    buttons: [...primary, ...ordinary],
    fields: boxesOf([...document.querySelectorAll(FIELDS)], FIELD_GAP_PX),
    figures: textBoxesOf([...document.querySelectorAll(FIGURES)]),
  })
}

type Home = Pick<DOMRect, 'top' | 'bottom' | 'left' | 'right' | 'height'>

/** Clear of every button, field and figure; where they leave no room, of buttons and fields, of the buttons, else of the primary ones, else 0. */
export function roomBeside(
  home: Home,
  { primary, buttons, fields, figures }: Record<'primary' | 'buttons' | 'fields' | 'figures', Box[]>,
): Room {
  const clear = riseOver(home, [...buttons, ...fields, ...figures]) ?? riseOver(home, [...buttons, ...fields])
  if (clear !== null) return { rise: clear, covers: false }
  const rise = riseOver(home, buttons) ?? riseOver(home, primary) ?? 0
  const covers = fields.some(
    ({ top, bottom, left, right }) =>
      left < home.right && right > home.left && top < home.bottom - rise && bottom > home.top - rise,
  )
  return { rise, covers }
}

type Box = { top: number; bottom: number; left: number; right: number; height: number; gap: number }

function boxesOf(elements: Element[], gap = GAP_PX): Box[] {
  return elements.map((element) => {
    const { top, bottom, left, right, height } = element.getBoundingClientRect()
    return { top, bottom, left, right, height, gap }
  })
}

/** Where the text of these stands, which may be as wide as the page. */
function textBoxesOf(elements: Element[]): Box[] {
  const range = document.createRange()
  return elements.map((element) => {
    range.selectNodeContents(element)
    const { top, bottom, left, right, height } = range.getBoundingClientRect()
    return { top, bottom, left, right, height, gap: FIELD_GAP_PX }
  })
}

/** Null where there is no room below the header. */
function riseOver(home: Home, boxes: Box[]): number | null {
  const above = boxes
    .filter(({ left, right, gap }) => right > left && right + gap > home.left && left - gap < home.right)
    .sort((one, other) => other.bottom - one.bottom)
  let bottom = home.bottom
  for (const { top, bottom: end, gap } of above) {
    if (end + gap > bottom - home.height && top - gap < bottom) bottom = top - gap
  }
  return bottom - home.height < TOP_PX ? null : home.bottom - bottom
}
