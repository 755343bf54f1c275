// A quotation of what somebody wrote, with the writer and the time.
import { classes } from './classes.ts'
import { RelativeTime } from './RelativeTime.tsx'

/** `<Quote by={t('…')} at={message.created_at}>{message.text}</Quote>`; long words scroll in their place. */
export function Quote({
  by,
  at,
  className,
  children,
}: {
  by: string
  at?: string
  className?: string
  children: string
}) {
  return (
    <figure className={classes('mt-4 border-s-2 border-wheat-deep ps-4', className)}>
      <figcaption className="text-sm text-ink-faint">
        <span>{by}</span>
        {at && (
          <>
            <span>{' · '}</span>
            <RelativeTime at={at} />
          </>
        )}
      </figcaption>
      <blockquote dir="auto" className="max-h-60 overflow-y-auto whitespace-pre-line wrap-anywhere">
        {children}
      </blockquote>
    </figure>
  )
}
