// The keyboard's place among things that change under it: when an act takes its own button away, the focus goes to the
// thing that was acted on instead of to the top of the page.
import { useEffect, useRef } from 'react'

const mark = 'data-holds-focus'

/** The thing that had the focus last; a dialog that it opened counts as part of it. */
let holder: string | null = null

document.addEventListener('focusin', ({ target }) => {
  if (!(target instanceof Element)) return
  const thing = target.closest(`[${mark}]`)
  if (thing) holder = thing.getAttribute(mark)
  else if (!target.closest('[role=dialog],[role=alertdialog]')) holder = null
})

/**
 * `<li {...useHeldFocus(booking.id, booking.status)}>`. When `state` changes, or the thing appears in another place,
 * and its control that had the focus is gone, the thing itself takes it.
 */
export function useHeldFocus(id: string, state: unknown) {
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
  return { ref, tabIndex: -1, [mark]: id }
}
