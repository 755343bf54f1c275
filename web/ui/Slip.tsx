// A job slip: what it is about on one part, the money on the part that tears off.
import type { ReactNode } from 'react'
import { classes } from './classes.ts'

const notch = 'absolute size-4 rounded-full border border-line bg-paper'

/**
 * `<Slip stub={<Money … />}>…</Slip>`. The stub stands beside the body where there is room, else below it. A link in
 * the body with the class `slip-link` makes the whole slip its target.
 */
export function Slip({
  stub,
  stubClassName,
  className,
  children,
}: {
  stub: ReactNode
  stubClassName?: string
  className?: string
  children: ReactNode
}) {
  return (
    <article
      className={classes(
        '@container relative overflow-hidden rounded-lg border border-line bg-surface transition-colors',
        'has-[.slip-link]:hover:border-line-strong has-[.slip-link:focus-visible]:outline-[2.5px] has-[.slip-link:focus-visible]:outline-offset-2 has-[.slip-link:focus-visible]:outline-sky',
        className,
      )}
    >
      <div className="flex h-full flex-col @lg:flex-row">
        <div className="min-w-0 flex-1 p-5">{children}</div>
        <div
          className={classes(
            'relative border-t border-dashed border-line-strong/50 p-5 @lg:border-s @lg:border-t-0',
            stubClassName,
          )}
        >
          <span aria-hidden className={classes(notch, '-start-2 -top-2')} />
          <span
            aria-hidden
            className={classes(notch, '-end-2 -top-2 @lg:-start-2 @lg:end-auto @lg:top-auto @lg:-bottom-2')}
          />
          {stub}
        </div>
      </div>
    </article>
  )
}
