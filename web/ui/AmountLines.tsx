// Money line by line, added up: every figure has its name next to it.
import type { Cents } from '../../shared/money.ts'
import { formatMoney } from '../lib/format.ts'
import { classes } from './classes.ts'

export type AmountLine = {
  label: string
  amount: Cents
  /** Taken off: shown with a minus. */
  less?: boolean
  /** The sum that the lines above lead to. */
  total?: boolean
}

/** `<AmountLines lines={[{ label, amount }, { label, amount, total: true }]} />` */
export function AmountLines({ lines, className }: { lines: AmountLine[]; className?: string }) {
  return (
    <dl className={classes('tabular flex flex-col gap-1.5', className)}>
      {lines.map((line) => (
        <div
          key={line.label}
          className={classes(
            'flex items-baseline justify-between gap-4',
            line.total ? 'mt-1 border-t border-line pt-2.5 text-lg font-semibold' : 'text-ink-soft',
          )}
        >
          <dt className="min-w-0">{line.label}</dt>
          <dd translate="no" className="whitespace-nowrap">
            {`${line.less && line.amount > 0 ? '\u2212' : ''}${formatMoney(line.amount, { exact: true })}`}
          </dd>
        </div>
      ))}
    </dl>
  )
}
