// Formats input in the card's fields as cards show it.
import { latinDigits } from '../../../lib/digits.ts'

const digitsOf = (typed: string, most: number) => latinDigits(typed).replace(/\D/g, '').slice(0, most)

/** '4242424242424242' → '4242 4242 4242 4242'. */
export function cardNumber(typed: string): string {
  return digitsOf(typed, 19).replace(/(.{4})(?=.)/g, '$1 ')
}

/** '1' → '1', '4' → '04 / ', '1234' → '12 / 34'; `before` lets the slash be deleted. */
export function cardExpiry(typed: string, before = ''): string {
  const digits = digitsOf(typed.replace(/^\s*([2-9])/, '0$1'), 4)
  const deleting = typed.length < before.length
  if (digits.length < 2 || (digits.length === 2 && deleting)) return digits
  return `${digits.slice(0, 2)} / ${digits.slice(2)}`
}

export function cardCode(typed: string): string {
  return digitsOf(typed, 4)
}
