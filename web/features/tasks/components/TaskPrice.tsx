// The price on a task's own screen: beforehand and as agreed line by line, after a refund the sum that was really moved.
import { useTranslation } from 'react-i18next'
import { priceOf } from '../../../../shared/fees.ts'
import type { Cents } from '../../../../shared/money.ts'
import { movedTotal, type PaymentWithChanges, withExtras } from '../../../lib/queries/changes.ts'
import { priceOfPayment } from '../../../lib/queries/payment.ts'
import { ExpenseTerms } from '../../../ui/ExpenseTerms.tsx'
import { PriceFigure, type PriceReader, PriceSplit } from '../../../ui/PriceSplit.tsx'
import type { Task } from '../api/openTasks.ts'

type TaskPriceProps = {
  task: Task
  payment: PaymentWithChanges | null
  /** Before fees: as agreed, or else as posted. */
  price: Cents
  /** The limit for expenses on top of the price: as agreed, or else as posted. */
  expenses: Cents | null
  reader: PriceReader
}

export function TaskPrice({ task, payment, price, expenses, reader }: TaskPriceProps) {
  const { t } = useTranslation()
  const parted = payment !== null && payment.refund_amount + payment.lost_amount > 0
  return (
    <div className="p-5">
      <h2 className="mb-1 font-sans text-sm font-semibold tracking-normal text-ink-soft">
        {t('tasks.payment')}
      </h2>
      {reader === 'other' || reader === 'over' || parted ? (
        <PriceFigure {...figureOf({ payment, price, reader })} size="large" />
      ) : (
        <PriceSplit
          price={figureOf({ payment, price, reader }).price}
          side={reader}
          other={reader === 'tasker' ? task.giver?.full_name : null}
          paid={payment !== null}
        />
      )}
      {reader !== 'over' && !parted && (
        <ExpenseTerms
          limit={expenses}
          side={reader === 'giver' ? 'giver' : 'tasker'}
          visits={task.repeats !== null}
          className="mt-2"
        />
      )}
    </div>
  )
}

/** The same as one figure below the title, in one column. */
export function TaskPriceFigure({ className, ...props }: TaskPriceProps & { className: string }) {
  return <PriceFigure {...figureOf(props)} size="stacked" className={className} />
}

function figureOf({ payment, price, reader }: Omit<TaskPriceProps, 'task' | 'expenses'>) {
  return {
    price: payment ? withExtras(priceOfPayment(payment), payment.changes) : priceOf(price),
    reader,
    moved:
      reader === 'giver' || reader === 'tasker' ? movedTotal(payment, payment?.changes ?? [], reader) : null,
  }
}
