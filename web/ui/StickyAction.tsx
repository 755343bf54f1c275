// The one action of a page, at the lower edge of a window in which it stands further down: a tap leads there.
import { type ReactNode, type RefObject, useEffect, useState } from 'react'

type StickyActionProps = {
  /** What the action leads to; while it is in sight, or was passed, nothing is shown. */
  target: RefObject<Element | null>
  children: ReactNode
}

/** For pages of one column. Where the target stands beside the text, from Tailwind's `lg` on, it is never shown. */
export function StickyAction({ target, children }: StickyActionProps) {
  const [below, setBelow] = useState(true)
  useEffect(() => {
    if (!target.current) return
    const observer = new IntersectionObserver(
      (entries) => {
        const last = entries.at(-1)
        if (last) setBelow(!last.isIntersecting && last.boundingClientRect.top > 0)
      },
      // Its edge alone is not in reach.
      { rootMargin: '0px 0px -25% 0px' },
    )
    observer.observe(target.current)
    return () => observer.disconnect()
  }, [target])
  if (!below) return null
  return (
    <div className="fixed inset-x-0 bottom-0 z-20 flex items-center justify-between gap-4 border-t border-line bg-surface px-4 pt-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] shadow-float lg:hidden print:hidden">
      {children}
    </div>
  )
}
