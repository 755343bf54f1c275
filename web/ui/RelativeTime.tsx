// A point in time relative to now: 'Just now', '5m ago', '3h ago', then the date.
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, relativeTime } from '../lib/format.ts'

/** `<RelativeTime at={task.created_at} />`; keeps itself current, the full date is in its tooltip. */
export function RelativeTime({ at, className }: { at: string | Date; className?: string }) {
  useTranslation()
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 60_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={new Date(at).toISOString()} title={formatDateTime(at)} className={className}>
      {relativeTime(at, now)}
    </time>
  )
}
