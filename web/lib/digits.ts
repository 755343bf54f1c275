// Numbers as they are typed: keyboards of some languages write digits of their own, and half the world a decimal comma.

/** The zeros of the digits that keyboards of our languages write: Arabic, Persian, Devanagari, and Chinese full width. */
const ZEROS = [0x660, 0x6f0, 0x966, 0xff10]

/** '٤٢' → '42'; the rest of the text stays. */
export function latinDigits(typed: string): string {
  return typed.replace(/[٠-٩۰-۹०-९０-９]/g, (digit) => {
    const code = digit.charCodeAt(0)
    return String(ZEROS.map((zero) => code - zero).find((value) => value >= 0 && value < 10))
  })
}

/**
 * An amount as Number reads it: '$1,200.50', '1.200,50' and '١٢٠٠٫٥٠' → '1200.50'. A comma before one or two last digits
 * is a decimal one. What is no amount stays what it is.
 */
export function plainAmount(typed: string): string {
  const plain = latinDigits(typed)
    .replace(/[\s$٬]/g, '')
    .replace('٫', '.')
  const decimal = /^(-?[\d.]+),(\d{1,2})$/.exec(plain)
  return decimal ? `${decimal[1]?.replaceAll('.', '')}.${decimal[2]}` : plain.replaceAll(',', '')
}
