// An amount of Canadian dollars, in figures that line up.
import { formatMoney } from '../lib/format.ts'
import { classes } from './classes.ts'

/** `<Money amount={80} />` → $80; with `exact` → $80.00, for lines that are added up. The amount is in dollars. */
export function Money({ amount, exact, className }: { amount: number; exact?: boolean; className?: string }) {
  return (
    <bdi className={classes('tabular whitespace-nowrap', className)}>{formatMoney(amount, { exact })}</bdi>
  )
}
