// How high the chart of earnings reaches.
import { type Cents, cents } from '../../../../shared/money.ts'

/** The highest line of the scale: 1, 2 or 5 times a power of ten, and no less than the amount. */
export function scaleOf(highest: Cents): Cents {
  const dollars = Math.max(highest / 100, 1)
  const power = 10 ** Math.floor(Math.log10(dollars))
  const step = [1, 2, 5, 10].find((times) => times * power >= dollars) ?? 10
  return cents(step * power * 100)
}
