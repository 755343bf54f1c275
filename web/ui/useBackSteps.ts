// On a phone, where what is opened has the whole window, the Back of the browser or of the phone leaves it, not the page.
import { useEffect, useRef } from 'react'
import { useNarrow } from './windowWidth.ts'

/** How many steps into something full-screen an entry of the browser's history is. */
const stepOf = (): number => history.state?.step ?? 0

/**
 * `steps`: how far one is in (0: nothing is open). Back calls `onBack` with how far one is in then. Steps that are left
 * otherwise, by a button say, take their entries of the history with them. Nothing of it in a wide window.
 */
export function useBackSteps(steps: number, onBack: (steps: number) => void) {
  const narrow = useNarrow()
  const wanted = narrow ? steps : 0
  const pushed = useRef(0)
  const page = useRef('')
  const back = useRef(onBack)
  useEffect(() => {
    back.current = onBack
  })
  useEffect(() => {
    if (pushed.current === 0) page.current = location.href
    while (pushed.current < wanted) {
      pushed.current += 1
      history.pushState({ ...history.state, step: pushed.current }, '')
    }
    if (pushed.current > wanted) leave(pushed, wanted)
  }, [wanted])
  useEffect(() => {
    const popped = (event: PopStateEvent) => {
      const step = stepOf()
      if (step >= pushed.current || location.href !== page.current) return
      event.stopImmediatePropagation()
      pushed.current = step
      back.current(step)
    }
    // Before the router, for which nothing has changed.
    window.addEventListener('popstate', popped, { capture: true })
    return () => {
      window.removeEventListener('popstate', popped, { capture: true })
      leave(pushed, 0)
    }
  }, [])
}

/** Goes back over the entries of steps that are left, unless one has gone on to another page from them. */
function leave(pushed: { current: number }, to: number) {
  // The steps there are may be another's: a card with a closed chat leaves the page below an open drawer.
  const entries = pushed.current > to ? stepOf() - to : 0
  pushed.current = to
  if (entries <= 0) return
  window.addEventListener('popstate', (event) => event.stopImmediatePropagation(), {
    capture: true,
    once: true,
  })
  history.go(-entries)
}
