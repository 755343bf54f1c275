// Rows of the database with their amounts in whole cents.
import { type Cents, fromDollars } from '../../../shared/money.ts'

/** The row with these columns, which hold dollars, in cents. */
export type Priced<Row, Column extends keyof Row> = Omit<Row, Column> & {
  [Name in Column]: Row[Name] extends number ? Cents : Cents | null
}

/** `inCents(task, 'pay_amount')`: the same row, those columns in cents; null stays null. */
export function inCents<Row extends object, Column extends keyof Row>(
  row: Row,
  ...columns: Column[]
): Priced<Row, Column> {
  const amounts = columns.map((column) => {
    const dollars = row[column]
    return [column, dollars === null ? null : fromDollars(Number(dollars))]
  })
  return { ...row, ...Object.fromEntries(amounts) }
}
