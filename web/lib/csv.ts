// Comma-separated values (RFC 4180) for spreadsheets: what would be run as a formula there stays text.

/**
 * The first characters that make a spreadsheet take a cell for a formula, those of full width among them:
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** One cell; a number stays a number. */
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return /[",;\r\n\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The rows as a file's text, with the mark by which spreadsheets know UTF-8. */
export function csv(rows: (string | number)[][]): string {
  return `\ufeff${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`
}
