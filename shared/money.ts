// Money in TypeScript: whole cents of the marketplace's currency. The database, the Data API and forms hold dollars, which become
// cents here and nowhere else.

declare const unit: unique symbol

/** A whole number of cents; below zero where money is owed. */
export type Cents = number & { readonly [unit]: 'cents' }

/** That many cents. Throws RangeError unless the number is whole. */
export function cents(count: number): Cents {
  if (!Number.isSafeInteger(count)) throw new RangeError(`not an amount in cents: ${count}`)
  return count as Cents
}

/** Dollars, as a `numeric` column or a form has them, to the nearest cent. Throws RangeError unless they are a number. */
export function fromDollars(dollars: number): Cents {
  return cents(Math.round(dollars * 100))
}

/** Dollars, as the Data API takes and screens format them. */
export function toDollars(amount: Cents): number {
  return amount / 100
}

/** The sum of the amounts. */
export function sum(...amounts: Cents[]): Cents {
  return cents(amounts.reduce((total, amount) => total + amount, 0))
}

/**
 * `percent` % of the amount, to thousandths of a percent (Quebec's tax is 9.975 %). Halves round up, as PostgreSQL's round() does,
 * in whole numbers, so that no cent is lost.
 */
export function share(amount: Cents, percent: number): Cents {
  return cents(Math.floor((amount * Math.round(percent * 1000) + 50_000) / 100_000))
}
