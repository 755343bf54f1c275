// Whether a part of the page has come near the window: what is further down is loaded when it is wanted.
import { type RefObject, useEffect, useState } from 'react'

/** True from the moment on that the element is within a screen's reach; it stays true. */
export function useInView(ref: RefObject<Element | null>): boolean {
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    if (seen || !ref.current) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
    })
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [ref, seen])
  return seen
}
