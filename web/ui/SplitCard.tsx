// A card of two parts, like a ticket: what it is about, and an aside (the money) behind a dashed line.
import type { ReactNode } from 'react'
import { classes } from './classes.ts'

/** Where the dashed line meets the edge. */
export const NOTCH_CLASSES = 'absolute size-4 rounded-full border border-line bg-paper'

export const CARD_CLASSES =
  '@container relative overflow-hidden rounded-lg border border-line bg-surface transition-colors has-[.card-link]:hover:border-line-strong has-[.card-link:focus-visible]:outline-[2.5px] has-[.card-link:focus-visible]:outline-offset-2 has-[.card-link:focus-visible]:outline-sky'

/** The width of the card from which the aside is next to the body. */
const splits = {
  narrow: {
    row: '@lg:flex-row',
    aside: '@lg:border-s @lg:border-t-0',
    notch: '@lg:-start-2 @lg:end-auto @lg:top-auto @lg:-bottom-2',
  },
  wide: {
    row: '@3xl:flex-row',
    aside: '@3xl:border-s @3xl:border-t-0',
    notch: '@3xl:-start-2 @3xl:end-auto @3xl:top-auto @3xl:-bottom-2',
  },
}

/**
 * `<SplitCard aside={<Money … />}>…</SplitCard>`. The aside is next to the body if both fit (a `wide` aside needs a
 * wider card), else below. A link in the body with the class `card-link` makes the whole card its target.
 */
export function SplitCard({
  aside,
  split = 'narrow',
  asideFirst = false,
  asideClassName,
  className,
  children,
}: {
  aside: ReactNode
  split?: keyof typeof splits
  /** For a card of one column: the aside is above the body. */
  asideFirst?: boolean
  asideClassName?: string
  className?: string
  children: ReactNode
}) {
  const layout = splits[split]
  const body = (
    <div key="body" className="min-w-0 flex-1 p-5 max-sm:p-3">
      {children}
    </div>
  )
  return (
    <article className={classes(CARD_CLASSES, className)}>
      <div className={classes('flex h-full flex-col', layout.row)}>
        {!asideFirst && body}
        <div
          key="aside"
          className={classes(
            'relative border-t border-dashed border-line-strong/50 p-5 max-sm:px-3 max-sm:py-2',
            asideFirst && 'border-t-0 border-b',
            layout.aside,
            asideClassName,
          )}
        >
          <span
            aria-hidden
            className={classes(NOTCH_CLASSES, '-start-2', asideFirst ? '-bottom-2' : '-top-2')}
          />
          <span
            aria-hidden
            className={classes(NOTCH_CLASSES, '-end-2', asideFirst ? '-bottom-2' : '-top-2', layout.notch)}
          />
          {aside}
        </div>
        {asideFirst && body}
      </div>
    </article>
  )
}
