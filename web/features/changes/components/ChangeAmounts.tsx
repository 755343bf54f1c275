// Amounts of a change for both sides: the price of more work, or the difference that a lower price sends back.
import { useTranslation } from 'react-i18next'
import { cents } from '../../../../shared/money.ts'
import { type Change, priceOfChange } from '../../../lib/queries/changes.ts'
import { AmountLines } from '../../../ui/AmountLines.tsx'
import { PriceSplit } from '../../../ui/PriceSplit.tsx'

type ChangeAmountsProps = {
  change: Pick<Change, 'kind' | 'amount'>
  side: 'giver' | 'tasker'
  /** The other side's name. */
  name: string
}

export function ChangeAmounts({ change, side, name }: ChangeAmountsProps) {
  const { t } = useTranslation()
  const price = priceOfChange(change)
  if (change.kind !== 'decrease') return <PriceSplit price={price} side={side} other={name} />
  const fees = { label: t('changes.less.fees'), amount: cents(price.total - price.payout) }
  return (
    <AmountLines
      lines={
        side === 'giver'
          ? [
              { label: t('changes.less.gets', { name }), amount: price.payout },
              fees,
              { label: t('changes.less.backToYou'), amount: price.total, total: true },
            ]
          : [
              { label: t('changes.less.back', { name }), amount: price.total },
              { ...fees, less: true },
              { label: t('changes.less.youGet'), amount: price.payout, total: true },
            ]
      }
    />
  )
}
