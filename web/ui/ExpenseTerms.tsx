// The expenses on top of a price, up to their limit. Nothing without a limit.
import { lazy, Suspense } from 'react'
import type { Cents } from '../../shared/money.ts'
import { classes } from './classes.ts'

const ExpenseLine = lazy(() => import('./ExpenseLine.tsx'))

type ExpenseTermsProps = {
  /** Null for none; undefined in a task that an earlier version kept. */
  limit: Cents | null | undefined
  /** The reader's side. */
  side: 'giver' | 'tasker'
  /** The task repeats: the limit is that of each visit. */
  visits?: boolean
  className?: string
}

export function ExpenseTerms({ limit, side, visits = false, className }: ExpenseTermsProps) {
  if (!limit) return null
  return (
    <div className={classes('min-h-5 text-sm text-ink-soft', className)}>
      <Suspense>
        <ExpenseLine limit={limit} side={side} visits={visits} />
      </Suspense>
    </div>
  )
}
