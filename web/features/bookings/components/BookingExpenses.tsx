// The expenses on top of a booking's price, before it is paid.
import { ExpenseTerms } from '../../../ui/ExpenseTerms.tsx'
import type { Booking, Side } from '../api/queries.ts'

type BookingExpensesProps = { booking: Booking; side: Side; className?: string }

export const BookingExpenses = ({ booking, side, className }: BookingExpensesProps) => (
  <ExpenseTerms
    limit={booking.expense_limit}
    side={side}
    visits={booking.task.repeats !== null}
    {...(className && { className })}
  />
)
