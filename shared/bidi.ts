// Text inside other text keeps its own order: Unicode's isolates (UAX #9) are put around every value that t() puts
// into a sentence, where the two may run in different directions.

const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff]/

/** The value between FIRST STRONG ISOLATE and POP; as it is where everything runs from left to right. */
export function isolated(value: string, page: 'ltr' | 'rtl'): string {
  return page === 'rtl' || RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value
}

/** The value from left to right wherever it is: '$80' in an Arabic sentence. */
export function leftToRight(value: string): string {
  return `\u2066${value}\u2069`
}
