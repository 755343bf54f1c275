// Says once, politely and for screen readers alone, that a count has grown while the page was open.
import { useEffect, useRef, useState } from 'react'

/** `<CountAnnouncement count={unread} text={t('…', { count })} />`; the first count that is known (not undefined) says nothing. */
export function CountAnnouncement({ count, text }: { count: number | undefined; text: string }) {
  const before = useRef<number>(undefined)
  const [grown, setGrown] = useState(false)
  useEffect(() => {
    if (count === undefined) return
    setGrown(before.current !== undefined && count > before.current)
    before.current = count
  }, [count])
  return (
    <span role="status" className="sr-only">
      {grown && text}
    </span>
  )
}
