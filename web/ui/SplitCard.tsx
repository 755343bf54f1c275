// A job slip: what it is about on one part, the money on the part that tears off.
import type { ReactNode } from 'react'
import { classes } from './classes.ts'

const notch = 'absolute size-4 rounded-full border border-line bg-paper'

/** From which width of the slip on the stub stands beside the body. */
const splits = {
  narrow: {
    row: '@lg:flex-row',
    stub: '@lg:border-s @lg:border-t-0',
    notch: '@lg:-start-2 @lg:end-auto @lg:top-auto @lg:-bottom-2',
  },
  wide: {
    row: '@3xl:flex-row',
    stub: '@3xl:border-s @3xl:border-t-0',
    notch: '@3xl:-start-2 @3xl:end-auto @3xl:top-auto @3xl:-bottom-2',
  },
}

/**
 * `<Slip stub={<Money … />}>…</Slip>`. The stub stands beside the body where there is room (a `wide` stub needs more
 * of it), else below. A link in the body with the class `slip-link` makes the whole slip its target.
 */
export function Slip({
  stub,
  split = 'narrow',
  stubClassName,
  className,
  children,
}: {
  stub: ReactNode
  split?: keyof typeof splits
  stubClassName?: string
  className?: string
  children: ReactNode
}) {
  const look = splits[split]
  return (
    <article
      className={classes(
        '@container relative overflow-hidden rounded-lg border border-line bg-surface transition-colors',
        'has-[.slip-link]:hover:border-line-strong has-[.slip-link:focus-visible]:outline-[2.5px] has-[.slip-link:focus-visible]:outline-offset-2 has-[.slip-link:focus-visible]:outline-sky',
        className,
      )}
    >
      <div className={classes('flex h-full flex-col', look.row)}>
        <div className="min-w-0 flex-1 p-5">{children}</div>
        <div
          className={classes(
            'relative border-t border-dashed border-line-strong/50 p-5',
            look.stub,
            stubClassName,
          )}
        >
          <span aria-hidden className={classes(notch, '-start-2 -top-2')} />
          <span aria-hidden className={classes(notch, '-end-2 -top-2', look.notch)} />
          {stub}
        </div>
      </div>
    </article>
  )
}
