// The text about expenses on top of a price. It is loaded with its texts where there is a limit, which few tasks have.
import { useTranslation } from 'react-i18next'
import type { Cents } from '../../shared/money.ts'
import { formatMoney } from '../lib/format.ts'

type ExpenseLineProps = { limit: Cents; side: 'giver' | 'tasker'; visits: boolean }

export default function ExpenseLine({ limit, side, visits }: ExpenseLineProps) {
  const { t } = useTranslation()
  return (
    <p>
      {t(visits ? `expenses.${side}Visit` : `expenses.${side}`, {
        amount: formatMoney(limit, { exact: true }),
      })}
    </p>
  )
}
