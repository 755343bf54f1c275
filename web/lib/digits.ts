// Digits as they are typed: keyboards of some languages write their own digits. Amounts: amounts.ts.

/** The zeros of the digits that keyboards of our languages write: Arabic, Persian, Devanagari, and Chinese full width. */
const ZEROS = [0x660, 0x6f0, 0x966, 0xff10]

/** '٤٢' → '42'; the rest of the text stays. */
export function latinDigits(typed: string): string {
  return typed.replace(/[٠-٩۰-۹०-९０-９]/g, (digit) => {
    const code = digit.charCodeAt(0)
    return String(ZEROS.map((zero) => code - zero).find((value) => value >= 0 && value < 10))
  })
}
