/** A word of eight letters that no other test has. Texts before acceptance would hide digits, which may be a phone number. */
export const uniqueWord = () =>
  crypto
    .randomUUID()
    .slice(0, 8)
    .replace(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))
