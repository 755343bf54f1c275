// The chosen one of a row that scrolls sideways is in sight, without moving the page.
import { type RefObject, useEffect, useRef } from 'react'

/**
 * A ref for the row. `chosen` is a selector of the element to show; searched again whenever `when` changes; `margin`
 * pixels of the row stay free next to it.
 */
export function useScrollSelectedIntoView<Row extends HTMLElement>(
  chosen: string,
  when: string,
  margin = 0,
): RefObject<Row | null> {
  const row = useRef<Row>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another `when` is when to look
  useEffect(() => {
    const frame = row.current?.getBoundingClientRect()
    const one = row.current?.querySelector(chosen)?.getBoundingClientRect()
    if (!row.current || !frame || !one) return
    row.current.scrollLeft +=
      Math.min(0, one.left - frame.left - margin) + Math.max(0, one.right - frame.right + margin)
  }, [chosen, when, margin])
  return row
}
