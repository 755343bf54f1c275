// The keyboard's place among things that change under it: when an action takes its own button away, the focus goes to the
// thing that was acted on instead of to the top of the page.
import { useEffect, useRef } from 'react'

const ATTRIBUTE = 'data-holds-focus'

/** The element that had the focus last; a dialog that it opened counts as part of it. */
let holder: string | null = null

document.addEventListener('focusin', ({ target }) => {
  if (!(target instanceof Element)) return
  const thing = target.closest(`[${ATTRIBUTE}]`)
  if (thing) holder = thing.getAttribute(ATTRIBUTE)
  else if (!target.closest('[role=dialog],[role=alertdialog]')) holder = null
})

/**
 * `<li {...useKeptFocus(booking.id, booking.status)}>`. When `state` changes, or the thing appears in another place,
 * and its control that had the focus is gone, the thing itself takes it.
 */
export function useKeptFocus(id: string, state: unknown) {
  const ref = useRef<HTMLLIElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new state is when to look
  useEffect(() => {
    if (holder !== id) return
    // A dialog that closes with the change gives the focus back a moment later.
    const timer = setTimeout(() => {
      if (document.activeElement === document.body) ref.current?.focus({ preventScroll: true })
    }, 50)
    return () => clearTimeout(timer)
  }, [id, state])
  return { ref, tabIndex: -1, [ATTRIBUTE]: id }
}
