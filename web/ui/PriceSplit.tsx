// A price from the reader's side: what the other one gets or pays, fee and tax, and the reader's own sum.
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Price } from '../../shared/fees.ts'
import { type Cents, cents } from '../../shared/money.ts'
import { type AmountLine, AmountLines } from './AmountLines.tsx'
import { classes } from './classes.ts'
import { Money } from './Money.tsx'
import { Summary } from './Summary.tsx'

type PriceSplitProps = {
  price: Price
  /** The reader's side. */
  side: 'giver' | 'tasker'
  /** The name of the person on the other side; null while nobody is known. */
  other: string | null | undefined
  /** The giver has paid already. */
  paid?: boolean
  /** Shows from the start how both sums come from the task's amount. */
  unfolded?: boolean
  className?: string
  /** Below the sum, before how it adds up. */
  children?: ReactNode
}

/** `<PriceSplit price={priceOf(cents(8000))} side="giver" other="Theo" />`: Theo gets $64, fee and tax $32, you pay $96. */
export function PriceSplit({
  price,
  side,
  other,
  paid = false,
  unfolded,
  className,
  children,
}: PriceSplitProps) {
  const { t } = useTranslation()
  const name = other ?? ''
  const gives = side === 'giver'
  const paying = paid ? 'paid' : 'pays'
  const payer = gives
    ? t(paid ? 'ui.price.youPaid' : 'ui.price.youPay')
    : t(other ? `ui.price.${paying}` : paid ? 'ui.price.theGiverPaid' : 'ui.price.theGiverPays', { name })
  const payee = gives ? t(other ? 'ui.price.gets' : 'ui.price.theTaskerGets', { name }) : t('ui.price.youGet')
  const pays: AmountLine = { label: payer, amount: price.total }
  const gets: AmountLine = { label: payee, amount: price.payout }
  const between: AmountLine = {
    label: t('ui.price.feeAndGst'),
    amount: cents(price.total - price.payout),
    less: !gives,
  }
  const feeFree = price.feeFree ?? cents(0)
  const steps = (less: boolean): AmountLine[] => [
    { label: t('ui.price.taskAmount'), amount: cents(price.amount - feeFree) },
    { label: t('ui.price.platformFee'), amount: price.platformFee, less },
    { label: t('ui.price.gst'), amount: price.gst, less },
    ...(feeFree > 0 ? [{ label: t('ui.price.expenses'), amount: feeFree }] : []),
  ]
  const sums = [
    [...steps(false), { ...pays, total: true }],
    [...steps(true), { ...gets, total: true }],
  ]
  // An expense or a tip alone: both sums are the same, and there is nothing to add up.
  if (feeFree > 0 && feeFree === price.amount) {
    return (
      <AmountLines
        className={className ?? ''}
        lines={gives ? [gets, { ...pays, total: true }] : [pays, { ...gets, total: true }]}
      />
    )
  }
  return (
    <div className={className}>
      <AmountLines
        lines={gives ? [gets, between, { ...pays, total: true }] : [pays, between, { ...gets, total: true }]}
      />
      {children}
      <details className="group mt-1 text-sm" open={unfolded}>
        <Summary className="min-h-9 font-medium text-sky">{t('ui.price.how')}</Summary>
        {/* Fee and tax are charged on both sides: each sum shows its own. */}
        {(gives ? sums : sums.toReversed()).map((lines) => (
          <AmountLines
            key={lines.at(-1)?.label}
            className="mt-2 rounded-md bg-sunken px-3 py-2 first-of-type:mt-0"
            lines={lines}
          />
        ))}
      </details>
    </div>
  )
}

/** From this amount on, in cents, a large figure needs a smaller size. */
const LONG_AMOUNT = 1_000_000

/**
 * The reader of the figure: the giver or tasker themselves, or somebody else, who sees the tasker's payout. `over`
 * shows the task's amount alone, for readers of a finished task who do not see its payment.
 */
export type PriceReader = 'giver' | 'tasker' | 'other' | 'over'

const labels = {
  giver: 'ui.price.youPay',
  tasker: 'ui.price.youGet',
  other: 'ui.price.theTaskerGets',
  over: 'ui.price.taskAmount',
} as const

/** Where the parts of a large figure are on a narrow card. */
const narrowPlaces = {
  large: {
    all: '@max-lg:grid-cols-[auto_minmax(0,1fr)] @max-lg:items-center @max-lg:gap-x-4',
    label: '@max-lg:col-start-2 @max-lg:row-start-1 @max-lg:leading-snug',
    figure: '@max-lg:col-start-1 @max-lg:row-span-2 @max-lg:row-start-1',
    amount: '@max-lg:col-start-2 @max-lg:row-start-2 @max-lg:leading-snug',
  },
  corner: {
    all: '@max-lg:max-w-32 @max-lg:justify-items-end',
    label: '@max-lg:order-none @max-lg:text-xs @max-lg:leading-tight',
    figure: '@max-lg:text-2xl @max-lg:leading-none',
    amount: '@max-lg:justify-end @max-lg:text-xs @max-lg:leading-tight',
  },
}

/** One figure of a price, labelled with whose it is. */
export function PriceFigure({
  price,
  reader,
  moved = null,
  size = 'row',
  className,
}: {
  price: Price
  reader: PriceReader
  /** The sum that the reader has paid or received; null before. */
  moved?: Cents | null
  /** `row`: in one line; `stacked`: the label above; `large`, `corner`: a large figure, with the task's amount. */
  size?: 'row' | 'stacked' | keyof typeof narrowPlaces
  className?: string
}) {
  const { t } = useTranslation()
  const amount =
    moved ?? { giver: price.total, tasker: price.payout, other: price.payout, over: price.amount }[reader]
  const label = t(moved !== null && reader === 'giver' ? 'ui.price.youPaid' : labels[reader])
  if (size === 'large' || size === 'corner') {
    const places = narrowPlaces[size]
    return (
      <div className={classes('grid min-w-0', places.all, className)}>
        {/* Read first, shown below the figure or next to it. */}
        <span className={classes('order-2 text-sm font-semibold text-ink-soft', places.label)}>{label}</span>
        <Money
          amount={amount}
          className={classes(
            'order-1 font-display leading-tight font-bold',
            amount < LONG_AMOUNT ? 'text-3xl' : 'text-2xl',
            places.figure,
          )}
        />
        {reader !== 'over' && (
          <p className={classes('order-3 flex flex-wrap gap-x-1.5 text-sm text-ink-soft', places.amount)}>
            <span>{t('ui.price.taskAmount')}</span>
            <Money amount={price.amount} />
          </p>
        )}
      </div>
    )
  }
  const stacked = size === 'stacked'
  return (
    <p
      className={classes(
        'min-w-0',
        stacked ? 'leading-tight' : 'flex flex-wrap items-baseline gap-x-2',
        className,
      )}
    >
      <span className={classes('text-sm text-ink-soft', stacked && 'block')}>{label}</span>
      <Money amount={amount} className={stacked ? 'block font-display text-xl font-bold' : 'font-semibold'} />
    </p>
  )
}
