// The scroll position of a conversation as it grows: at its end while one reads the end, in its place when older
// messages come in above. It never moves away from the place to which the reader scrolled.
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** So near to the end counts as reading it. */
const NEAR_PX = 80
/** So long before the beginning is reached, the page before it is asked for. */
const AHEAD_PX = 320

export function useScrollPlace({
  first,
  last,
  lastIsOwn,
  onBeginning,
}: {
  /** The ids of the oldest and the newest message that are shown. */
  first: string | undefined
  last: string | undefined
  lastIsOwn: boolean
  /** Asks for older messages; null when there are none, or they are on their way. */
  onBeginning: (() => void) | null
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLOListElement>(null)
  const beginning = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const before = useRef({ first, last, height: 0 })
  const [isAway, setAway] = useState(false)

  const toEnd = useCallback(() => {
    if (!scroller.current) return
    scroller.current.scrollTop = scroller.current.scrollHeight
    atEnd.current = true
    setAway(false)
  }, [])

  useLayoutEffect(() => {
    const box = scroller.current
    if (!box) return
    const { height, ...seen } = before.current
    if (seen.first !== first && seen.first && seen.last === last) box.scrollTop += box.scrollHeight - height
    if (seen.last !== last && (lastIsOwn || atEnd.current)) toEnd()
    before.current = { first, last, height: box.scrollHeight }
  })

  useEffect(() => {
    const box = scroller.current
    if (!box || !content.current) return
    toEnd()
    // A picture that has loaded, or a keyboard that takes half of the window, does not hide the end.
    const resized = new ResizeObserver(() => {
      if (atEnd.current) box.scrollTop = box.scrollHeight
      before.current.height = box.scrollHeight
    })
    resized.observe(box)
    resized.observe(content.current)
    const onScroll = () => {
      atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX
      setAway(!atEnd.current)
    }
    box.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      resized.disconnect()
      box.removeEventListener('scroll', onScroll)
    }
  }, [toEnd])

  const asks = onBeginning !== null
  const ask = useRef(onBeginning)
  ask.current = onBeginning
  useEffect(() => {
    if (!asks || !scroller.current || !beginning.current) return
    const seen = new IntersectionObserver(([entry]) => entry?.isIntersecting && ask.current?.(), {
      root: scroller.current,
      rootMargin: `${AHEAD_PX}px 0px 0px`,
    })
    seen.observe(beginning.current)
    return () => seen.disconnect()
  }, [asks])

  return { scroller, content, beginning, isAway, toEnd }
}
