// A card of four parts, like a ticket: what it is, its particulars, the price, and what can be done behind a dashed line.
import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import { CARD_CLASSES, NOTCH_CLASSES } from './SplitCard.tsx'

const DASHED_CLASSES = 'border-dashed border-line-strong/50'

type TicketCardProps = {
  head: ReactNode
  /** Next to the price on a narrow card, below the head on a wide one. */
  facts: ReactNode
  price: ReactNode
  /** Below the facts. */
  foot: ReactNode
  actions: ReactNode
  actionsClassName?: string
}

/**
 * `<TicketCard head={…} facts={…} price={…} foot={…} actions={…} />`. On a narrow card the price is at the end of the
 * facts and the actions are in a row below; on a wide one both are in a separate column. A link in the head with the
 * class `card-link` makes the whole card its target.
 */
export function TicketCard({ head, facts, price, foot, actions, actionsClassName }: TicketCardProps) {
  return (
    <article className={classes(CARD_CLASSES, 'h-full')}>
      <div className="grid h-full grid-cols-[minmax(0,1fr)_auto] @lg:grid-cols-[minmax(0,1fr)_12rem] @lg:grid-rows-[auto_auto_1fr]">
        <div className="px-3 pt-2 @max-lg:col-span-2 @lg:px-5 @lg:pt-5">{head}</div>
        <div className="min-w-0 ps-3 pt-0.5 @lg:col-start-1 @lg:px-5 @lg:pt-3.5">{facts}</div>
        <div
          className={classes(
            DASHED_CLASSES,
            'relative ps-2 pe-3 @max-lg:self-end @max-lg:text-end @lg:col-start-2 @lg:row-start-1 @lg:border-s @lg:px-5 @lg:pt-5',
          )}
        >
          <span aria-hidden className={classes(NOTCH_CLASSES, '-start-2 -top-2 @max-lg:hidden')} />
          {price}
        </div>
        <div className="min-w-0 px-3 pt-0.5 pb-1 @max-lg:col-span-2 @lg:col-start-1 @lg:self-end @lg:px-5 @lg:pt-4 @lg:pb-5">
          {foot}
        </div>
        <div
          className={classes(
            DASHED_CLASSES,
            'relative border-t px-3 py-1 @max-lg:col-span-2 @lg:col-start-2 @lg:row-span-2 @lg:row-start-2 @lg:border-s @lg:border-t-0 @lg:p-5 @lg:pt-3',
            actionsClassName,
          )}
        >
          <span
            aria-hidden
            className={classes(NOTCH_CLASSES, '-start-2 -top-2 @lg:top-auto @lg:-bottom-2')}
          />
          <span aria-hidden className={classes(NOTCH_CLASSES, '-end-2 -top-2 @lg:hidden')} />
          {actions}
        </div>
      </div>
    </article>
  )
}
