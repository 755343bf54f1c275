// An amount of the marketplace's currency, in figures that line up.
import type { Cents } from '../../shared/money.ts'
import { formatMoney } from '../lib/format.ts'
import { classes } from './classes.ts'

/** `<Money amount={cents(8000)} />` → $80; with `exact` → $80.00, for lines that are added up. */
export function Money({ amount, exact, className }: { amount: Cents; exact?: boolean; className?: string }) {
  return (
    <bdi translate="no" className={classes('tabular whitespace-nowrap', className)}>
      {formatMoney(amount, { exact })}
    </bdi>
  )
}
