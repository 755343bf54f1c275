// A price from the reader's side: what the other one gets or pays, fee and GST, and the reader's own sum.
import { ChevronDown } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Price } from '../../shared/fees.ts'
import { cents } from '../../shared/money.ts'
import { type AmountLine, AmountLines } from './AmountLines.tsx'
import { classes } from './classes.ts'
import { Money } from './Money.tsx'

type PriceSplitProps = {
  price: Price
  /** Whose side the reader is on. */
  side: 'giver' | 'tasker'
  /** The name of the person on the other side; null while nobody is known. */
  other: string | null | undefined
  /** The giver has paid already. */
  paid?: boolean
  /** Shows from the start how the sum comes from the task's amount. */
  unfolded?: boolean
  className?: string
}

/** `<PriceSplit price={priceOf(cents(8000))} side="giver" other="Theo" />`: Theo gets $64, fee and GST $32, you pay $96. */
export function PriceSplit({ price, side, other, paid = false, unfolded, className }: PriceSplitProps) {
  const { t } = useTranslation()
  const name = other ?? ''
  const gives = side === 'giver'
  const paying = paid ? 'paid' : 'pays'
  const lines: AmountLine[] = gives
    ? [
        { label: t(other ? 'ui.price.gets' : 'ui.price.theTaskerGets', { name }), amount: price.payout },
        { label: t('ui.price.feeAndGst'), amount: cents(price.total - price.payout) },
        { label: t(paid ? 'ui.price.youPaid' : 'ui.price.youPay'), amount: price.total, total: true },
      ]
    : [
        {
          label: t(other ? `ui.price.${paying}` : paid ? 'ui.price.theGiverPaid' : 'ui.price.theGiverPays', {
            name,
          }),
          amount: price.total,
        },
        { label: t('ui.price.feeAndGst'), amount: cents(price.total - price.payout), less: true },
        { label: t('ui.price.youGet'), amount: price.payout, total: true },
      ]
  return (
    <div className={className}>
      <AmountLines lines={lines} />
      <details className="group mt-1 text-sm" open={unfolded}>
        <summary className="flex min-h-9 cursor-pointer list-none items-center gap-1 self-start font-medium text-sky [&::-webkit-details-marker]:hidden">
          <span>{t('ui.price.how')}</span>
          <ChevronDown aria-hidden className="size-4 transition-transform group-open:rotate-180" />
        </summary>
        <AmountLines
          className="rounded-md bg-sunken px-3 py-2"
          lines={[
            { label: t('ui.price.taskAmount'), amount: price.amount },
            { label: t('ui.price.platformFee'), amount: price.platformFee, less: !gives },
            { label: t('ui.price.gst'), amount: price.gst, less: !gives },
          ]}
        />
      </details>
    </div>
  )
}

/** From this amount on, in cents, a large figure needs a smaller size. */
const LONG_AMOUNT = 1_000_000

/** Whose figure is shown: the reader's own as a giver or a tasker, or for others what the tasker gets. */
export type PriceReader = 'giver' | 'tasker' | 'other'

const labels = {
  giver: 'ui.price.youPay',
  tasker: 'ui.price.youGet',
  other: 'ui.price.theTaskerGets',
} as const

/** One figure of a price, labelled with whose it is. */
export function PriceFigure({
  price,
  reader,
  size = 'row',
  className,
}: {
  price: Price
  reader: PriceReader
  /**
   * `row`: in one line; `stacked`: the label above; `large`: the same, with the task's amount below; `card`: so, too, and where
   * the card is narrow three cells of its grid of two columns, of which the fourth is for the buttons.
   */
  size?: 'row' | 'stacked' | 'large' | 'card'
  className?: string
}) {
  const { t } = useTranslation()
  const amount = reader === 'giver' ? price.total : price.payout
  const large = size === 'large' || size === 'card'
  const cells = size === 'card'
  return (
    <div className={classes('min-w-0', cells && '@max-lg:contents', className)}>
      <p
        className={classes(
          size === 'row' ? 'flex flex-wrap items-baseline gap-x-2' : 'leading-tight',
          cells && '@max-lg:contents',
        )}
      >
        <span
          className={classes(
            'text-sm text-ink-soft',
            size !== 'row' && 'block',
            cells && '@max-lg:col-start-1 @max-lg:row-start-1 @max-lg:text-[0.8125rem]',
          )}
        >
          {t(labels[reader])}
        </span>
        <Money
          amount={amount}
          className={classes(
            size === 'row' ? 'font-semibold' : 'block font-display font-bold',
            size === 'stacked' && 'text-xl',
            large && (amount < LONG_AMOUNT ? 'text-3xl' : 'text-2xl'),
            cells && '@max-lg:col-start-1 @max-lg:row-start-2 @max-lg:text-2xl',
          )}
        />
      </p>
      {large && (
        <p
          className={classes(
            'mt-0.5 flex flex-wrap gap-x-1.5 text-sm text-ink-soft',
            cells &&
              '@max-lg:col-start-2 @max-lg:row-start-1 @max-lg:mt-0 @max-lg:justify-end @max-lg:text-[0.8125rem]',
          )}
        >
          <span>{t('ui.price.taskAmount')}</span>
          <Money amount={price.amount} />
        </p>
      )}
    </div>
  )
}
