// The main action of a task, below its title where the page has one column: its panel comes after the description there.
import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'

/** `place` is an element of the page's head, null until that is drawn. */
export function HeadAction({ place, children }: { place: HTMLElement | null; children: ReactNode }) {
  if (!place) return null
  return createPortal(
    <div className="mt-4 flex flex-wrap items-center gap-x-4 gap-y-2 lg:hidden print:hidden">{children}</div>,
    place,
  )
}
